//! The games by which `tabiya tune` compares values: arguments that its methods share.

use crate::arena::{parse_draw, parse_resign, usage};
use clap::Args;
use std::path::PathBuf;
use tabiya_lab::arena::tuning::GameSetup;
use tabiya_lab::arena::{
    Adjudication, DrawRule, EngineSpec, OpeningOrder, OpeningSource, ResignRule,
};

#[derive(Args, Debug)]
pub(super) struct GameArgs {
    /// Nodes per move
    #[arg(long)]
    nodes: Option<u64>,
    /// Nodes after which no new iteration of a search begins
    #[arg(long, value_name = "NODES")]
    soft_nodes: Option<u64>,
    /// Time control: [moves/]seconds[+increment]
    #[arg(long, value_name = "TC")]
    tc: Option<String>,
    /// More settings of both sides in the words of `tabiya match`, like "evalfile=a.nnue"
    #[arg(long, value_name = "SPEC", default_value = "", hide_default_value = true)]
    each: String,
    /// EPD or PGN file of openings, also .gz or .zst, played in random order; needed
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Resign at -SCORE centipawns for MOVES moves; with :both the opponent must agree
    #[arg(long, value_name = "SCORE:MOVES[:both]", value_parser = parse_resign, default_value = "600:4:both")]
    resign: ResignRule,
    /// Draw within SCORE centipawns for MOVES moves from move FROM on
    #[arg(long, value_name = "SCORE:MOVES:FROM", value_parser = parse_draw, default_value = "10:8:40")]
    draw: DrawRule,
    /// Games at the same time
    #[arg(short, long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
}

impl GameArgs {
    /// The games, with openings in an order of this seed.
    pub(super) fn setup(&self, seed: u64) -> anyhow::Result<GameSetup> {
        let openings = self.openings.clone().ok_or_else(|| {
            usage("openings: give a file with --openings, otherwise all games are alike")
        })?;
        let mut words = Vec::new();
        words.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        words.extend(self.soft_nodes.map(|nodes| format!("softnodes={nodes}")));
        words.extend(self.tc.as_ref().map(|tc| format!("tc={tc}")));
        words.push(self.each.clone());
        Ok(GameSetup {
            engine: EngineSpec::parse("self", &words.join(" ")).map_err(usage)?,
            openings: OpeningSource {
                file: Some(openings),
                order: OpeningOrder::Random(seed),
                skip: 0,
                plies: None,
            },
            adjudication: Adjudication {
                resign: Some(self.resign),
                draw: Some(self.draw),
                max_moves: None,
            },
            concurrency: usize::from(self.concurrency),
        })
    }
}
