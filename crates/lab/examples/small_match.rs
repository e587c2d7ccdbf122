//! Plays a small match between two copies of a UCI program and continues it when run again:
//! `small_match FOLDER ROUNDS ENGINE-SPEC ENGINE-SPEC`.

use std::path::PathBuf;
use tabiya_lab::arena::{self, Adjudication, EngineSpec, Engines, MatchConfig, Outputs, Silent};
use tabiya_lab::work::StopSignal;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("usage: small_match FOLDER ROUNDS ENGINE ENGINE");
    let folder = PathBuf::from(next()?);
    let rounds = next()?.parse()?;
    let players = vec![EngineSpec::parse(&next()?, "")?, EngineSpec::parse(&next()?, "")?];
    let journal = folder.join("match.jsonl");
    let config = MatchConfig {
        rounds,
        adjudication: Adjudication { max_moves: Some(20), ..Adjudication::default() },
        concurrency: 2,
        outputs: Outputs {
            resume: journal.exists(),
            journal: Some(journal),
            pgn: Some(folder.join("match.pgn")),
            json: Some(folder.join("match.json")),
        },
        ..MatchConfig::new(players)
    };
    let (summary, _) = arena::run(&config, &Engines, None, &StopSignal::new(), &mut Silent)?;
    print!("{summary}");
    Ok(())
}
