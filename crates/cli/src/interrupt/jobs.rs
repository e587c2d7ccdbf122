//! What Ctrl-C does to commands that take long.

use super::listen;
use std::process::exit;
use tabiya_lab::work::{StopSignal, remove_unfinished};

static STOP: StopSignal = StopSignal::new();

/// Lets Ctrl-C act on the signal that is returned.
pub(crate) fn on_ctrl_c(react: fn(&StopSignal)) -> anyhow::Result<&'static StopSignal> {
    listen(move || react(&STOP))?;
    Ok(&STOP)
}

/// Lets Ctrl-C end the program at once, without leaving half a file.
pub(crate) fn leave_no_half_file() -> anyhow::Result<()> {
    listen(|| {
        remove_unfinished();
        exit(130);
    })
}

/// At first running games are finished, which may take a while; when asked again they are abandoned.
pub(crate) fn finish_games(stop: &StopSignal) {
    if !stop.is_raised() {
        eprintln!("\nfinishing the running games, Ctrl-C again abandons them");
    }
    stop.raise();
}
