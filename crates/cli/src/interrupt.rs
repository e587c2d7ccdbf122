//! Ctrl-C: the one place that listens to it.

#[cfg(feature = "lab")]
mod jobs;

#[cfg(feature = "lab")]
pub(crate) use jobs::{finish_games, leave_no_half_file, on_ctrl_c};

use anyhow::Context;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lets Ctrl-C do something.
pub(crate) fn listen(act: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    ctrlc::set_handler(act).context("cannot listen to Ctrl-C")
}

/// Lets Ctrl-C set the flag that is returned.
pub(crate) fn flag() -> anyhow::Result<&'static AtomicBool> {
    static RAISED: AtomicBool = AtomicBool::new(false);
    listen(|| RAISED.store(true, Ordering::Relaxed))?;
    Ok(&RAISED)
}
