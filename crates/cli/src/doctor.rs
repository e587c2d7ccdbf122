//! `tabiya doctor`: what this machine and this installation are, and what to change.

mod installation;
mod machine;
mod speed;

use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya doctor
  tabiya doctor --quick --json
  tabiya doctor --evalfile my.nnue --syzygy tables

Each line is `good`, `note` (it works, and could be better) or `bad` (it does not work). Exit code 0
without anything bad, 1 otherwise.")]
pub(crate) struct DoctorArgs {
    /// Check this network file as well
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
    /// Check this policy net (GGUF) as well
    #[arg(long, value_name = "FILE")]
    policyfile: Option<PathBuf>,
    /// Check this Polyglot book as well
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Check Syzygy endgame tables in these folders, separated as in PATH
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<PathBuf>,
    /// Do not measure the speed
    #[arg(long)]
    quick: bool,
    /// One JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Good,
    /// It works, and could be better.
    Note,
    /// It does not work.
    Bad,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Bad => "bad",
        }
    }
}

/// What was found about one subject.
#[derive(Debug)]
struct Finding {
    state: State,
    subject: &'static str,
    text: String,
    /// What to do about it.
    advice: Option<String>,
}

impl Finding {
    fn good(subject: &'static str, text: impl Into<String>) -> Self {
        Self { state: State::Good, subject, text: text.into(), advice: None }
    }

    fn note(subject: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Note, subject, text: text.into(), advice: Some(advice.into()) }
    }

    fn bad(subject: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Bad, subject, text: text.into(), advice: Some(advice.into()) }
    }
}

pub(crate) fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let mut findings = Vec::new();
    let mut add = |finding: Finding| {
        if !args.json {
            show(&finding);
        }
        findings.push(finding);
    };
    machine::findings().into_iter().for_each(&mut add);
    installation::findings(args).into_iter().for_each(&mut add);
    add(speed::fingerprint()?);
    if !args.quick {
        add(speed::measure()?);
    }
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let (notes, bad) = (count(State::Note), count(State::Bad));
    if args.json {
        tell!("{}", to_json(&findings));
    } else {
        tell!("{}", verdict(notes, bad));
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn verdict(notes: usize, bad: usize) -> String {
    match (notes, bad) {
        (0, 0) => "all is well".to_owned(),
        (notes, 0) => format!("all works; {notes} could be better"),
        (0, bad) => format!("{bad} bad"),
        (notes, bad) => format!("{bad} bad, {notes} could be better"),
    }
}

fn show(finding: &Finding) {
    tell!("{:<5} {:<12} {}", finding.state.word(), finding.subject, finding.text);
    if let Some(advice) = &finding.advice {
        tell!("{:<18} -> {advice}", "");
    }
}

fn to_json(findings: &[Finding]) -> serde_json::Value {
    let rows: Vec<_> = findings
        .iter()
        .map(|finding| {
            serde_json::json!({
                "state": finding.state.word(),
                "subject": finding.subject,
                "text": finding.text,
                "advice": finding.advice,
            })
        })
        .collect();
    let is_well = findings.iter().all(|finding| finding.state != State::Bad);
    serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"), "works": is_well, "findings": rows,
    })
}
