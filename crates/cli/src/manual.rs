//! `tabiya man` and `tabiya completions`: the manual and what a shell completes, written from the table of
//! arguments, so that they cannot differ from it.

use crate::args::{Args as Program, UsageError};
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

/// Writes the manual.
#[derive(Args)]
#[command(after_help = "Examples:
  tabiya man | man -l -
  tabiya man match > tabiya-match.1")]
pub(crate) struct ManArgs {
    /// The command whose page is wanted; without one, the page of the program.
    command: Option<String>,
}

/// Writes what a shell needs to complete commands and options.
#[derive(Args)]
#[command(after_help = "Examples:
  tabiya completions bash > ~/.local/share/bash-completion/completions/tabiya
  tabiya completions zsh > ~/.zfunc/_tabiya
  tabiya completions fish > ~/.config/fish/completions/tabiya.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn man(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let program = Program::command();
    let page = match &args.command {
        None => program,
        Some(name) => page_of(&program, name)?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    std::io::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The command by name, called `tabiya-NAME` as manuals do.
fn page_of(program: &Command, name: &str) -> Result<Command, UsageError> {
    let command = program
        .find_subcommand(name)
        .ok_or_else(|| UsageError(format!("there is no command '{name}'")))?;
    let version = program.get_version().unwrap_or_default().to_owned();
    Ok(command
        .clone()
        .name(format!("tabiya-{name}"))
        .bin_name(format!("tabiya {name}"))
        .version(version))
}

pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    // In one piece, so that a reader who has seen enough ends the program and no more.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Program::command(), "tabiya", &mut text);
    std::io::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}
