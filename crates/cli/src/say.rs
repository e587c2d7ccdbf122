//! Words that may find nobody to read them.
//!
//! The macros of the standard library panic when the output is closed or full. Standard error is where progress
//! and remarks go: a log on a full disk must not end a run of hours, so `eprint!` and `eprintln!` of this crate go
//! on. `tell!` is `println!` for commands whose exit code says something, which a closed output does not change.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

macro_rules! eprint {
    ($($text:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!($($text)*));
    }};
}

macro_rules! eprintln {
    ($($text:tt)*) => {
        eprint!("{}\n", format_args!($($text)*))
    };
}

macro_rules! tell {
    ($($text:tt)*) => {
        crate::say::tell(format_args!($($text)*))
    };
}

/// Writes a line to standard output and says so if that fails, unless whoever read it has seen enough.
pub(crate) fn tell(line: Arguments) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = writeln!(output, "{line}").and_then(|()| output.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        eprintln!("tabiya: standard output: {error}");
    }
}
