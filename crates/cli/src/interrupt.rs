//! Ctrl-C in commands that take long.

use anyhow::Context;
use std::process::exit;
use tabiya_lab::work::StopSignal;
use tabiya_lab::work::remove_unfinished;

static STOP: StopSignal = StopSignal::new();

/// Lets Ctrl-C act on the signal that is returned.
pub(crate) fn on_ctrl_c(react: fn(&StopSignal)) -> anyhow::Result<&'static StopSignal> {
    ctrlc::set_handler(move || react(&STOP)).context("cannot listen to Ctrl-C")?;
    Ok(&STOP)
}

/// Lets Ctrl-C end the program at once, without leaving half a file.
pub(crate) fn leave_no_half_file() -> anyhow::Result<()> {
    let leave = || {
        remove_unfinished();
        exit(130);
    };
    ctrlc::set_handler(leave).context("cannot listen to Ctrl-C")
}

/// At first running games are finished, which may take a while; when asked again they are abandoned.
pub(crate) fn finish_games(stop: &StopSignal) {
    if !stop.is_raised() {
        eprintln!("\nfinishing the running games, Ctrl-C again abandons them");
    }
    stop.raise();
}
