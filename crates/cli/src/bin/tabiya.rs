//! The program; everything is in the library, so that the Python package can be the program too.

use std::process::ExitCode;

fn main() -> ExitCode {
    tabiya_cli::run(std::env::args_os())
}
