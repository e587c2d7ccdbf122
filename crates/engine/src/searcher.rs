//! A search in the caller's own thread: for games inside the process, data generation, labelling.
//!
//! Thousands of tiny searches a second leave no time for waking threads and passing messages.

use crate::eval::Evaluation;
use crate::info::{Info, SearchResult};
use crate::level::{Dice, Level, Strength};
use crate::limits::Limits;
use crate::options::OptionError;
use crate::policy::Line;
use crate::policy::advisor::Advisor;
use crate::search::Worker;
use crate::search::params::Params;
use crate::search::root::Job;
use crate::shared::Shared;
use crate::tablebase::{Probing, Tablebase};
use crate::tt::{Table, TableError};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tabiya_chess::Board;

/// An engine without threads of its own.
///
/// ```
/// use tabiya_engine::{Limits, Searcher};
/// let mut searcher = Searcher::new(1)?;
/// let result = searcher.search(&Default::default(), &[], &Limits::nodes(1000), |_info| {});
/// assert!(result.best.is_some() && result.nodes <= 1000);
/// # Ok::<(), tabiya_engine::TableError>(())
/// ```
pub struct Searcher {
    worker: Worker,
    tt: Arc<Table>,
    probing: Probing,
    /// Time lost between an answer and the clock.
    pub move_overhead: Duration,
    strength: Strength,
    advisor: Advisor,
    dice: Dice,
    /// The mate that the last search looked for.
    last_mate: Option<u32>,
    /// What a draw costs the side to move, in centipawns.
    pub contempt: i32,
}

impl Searcher {
    /// A searcher with a hash table of this size in megabytes.
    pub fn new(hash_mb: usize) -> Result<Self, TableError> {
        let tt = Arc::new(Table::new(hash_mb)?);
        let worker = Worker::new(0, Arc::new(Shared::idle(&tt)), &Evaluation::embedded());
        Ok(Self {
            worker,
            tt,
            probing: Probing::default(),
            move_overhead: Duration::ZERO,
            strength: Strength::default(),
            advisor: Advisor::default(),
            dice: Dice::new(),
            last_mate: None,
            contempt: 0,
        })
    }

    /// Replaces what judges positions.
    pub fn set_evaluation(&mut self, evaluation: &Evaluation) {
        self.worker.set_evaluation(evaluation);
        self.new_game();
    }

    /// Lets the search look into endgame tables.
    pub fn set_tables(&mut self, tables: Option<Arc<Tablebase>>) {
        self.probing.tables = tables;
    }

    /// Replaces the values of the tunables.
    pub fn set_params(&mut self, params: &Params) {
        self.worker.set_params(params);
    }

    /// Forgets everything learned: for a new game.
    pub fn new_game(&mut self) {
        self.tt.clear(1);
        self.worker.clear();
    }

    /// Searches a position; `earlier` are the keys of the positions before it.
    pub fn search(
        &mut self,
        board: &Board,
        earlier: &[u64],
        limits: &Limits,
        mut on_info: impl FnMut(&Info),
    ) -> SearchResult {
        // What was learned under the roof of a search for mate is no good without it.
        if limits.mate != self.last_mate {
            self.tt.clear(1);
            self.last_mate = limits.mate;
        }
        self.tt.age();
        let tt = Arc::clone(&self.tt);
        let level = self.strength.level();
        let nodes = limits.nodes.into_iter().chain(level.map(Level::nodes)).min();
        let shared = Shared::new(tt, 1, Instant::now(), false, nodes);
        let line = Line::from_board(board);
        let advice = self.advisor.advice(&line, board, limits);
        let human = level.and_then(|level| self.advisor.human(&line, level.elo(), &mut self.dice));
        let job = Job {
            board: *board,
            keys: earlier.to_vec(),
            limits: Arc::new(Limits { nodes, ..limits.clone() }),
            multi_pv: 1,
            level: level.map(|level| (level, self.dice.roll())),
            contempt: crate::wdl::from_centipawns(self.contempt, board),
            overhead: self.move_overhead,
            probing: self.probing.clone(),
            book_moves: Vec::new(),
            advice: advice.filter(|_| self.advisor.is_on && level.is_none()),
            human: human.map(Arc::new),
            shared: Arc::new(shared),
        };
        self.worker.run(&job, &mut on_info);
        job.result(self.worker.root_moves.first(), self.worker.completed_depth)
    }

    /// Makes the choices of a limited strength repeatable.
    pub fn seed_level(&mut self, seed: u64) {
        self.dice = Dice::seeded(seed);
    }

    /// Sets an option that makes sense for a single search: `Hash`, `EvalFile`, `Use NNUE`,
    /// `Move Overhead`, `UCI_LimitStrength`, `UCI_Elo`, `Skill Level`, `Contempt`, `UsePolicy`,
    /// `PolicyFile`, `PolicyUses`, `Style`,
    /// `SyzygyPath` or a tunable.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let bad = |expected: &str| OptionError::Unknown(format!("{name}={value}: {expected}"));
        match name {
            "Hash" => {
                let mb = value.parse().map_err(|_| bad("megabytes expected"))?;
                let table = Table::new(mb)
                    .map_err(|error| OptionError::Failed("Hash", error.to_string()))?;
                self.tt = Arc::new(table);
                Ok(())
            }
            "Move Overhead" => {
                let ms = value.parse().map_err(|_| bad("milliseconds expected"))?;
                self.move_overhead = Duration::from_millis(ms);
                Ok(())
            }
            "Threads" if value == "1" => Ok(()),
            "SyzygyPath" => {
                let tables = Tablebase::open(value.as_ref())
                    .map_err(|error| OptionError::Failed("SyzygyPath", error.to_string()))?;
                self.set_tables(Some(Arc::new(tables)));
                Ok(())
            }
            "UCI_LimitStrength" => {
                self.strength.is_limited =
                    value.parse().map_err(|_| bad("true or false expected"))?;
                Ok(())
            }
            "UCI_Elo" => {
                self.strength.elo = value.parse().map_err(|_| bad("a number expected"))?;
                Ok(())
            }
            "Skill Level" => {
                self.strength.skill = value.parse().map_err(|_| bad("a number expected"))?;
                Ok(())
            }
            "UsePolicy" => {
                self.advisor.is_on = value.parse().map_err(|_| bad("true or false expected"))?;
                Ok(())
            }
            "PolicyFile" => self
                .advisor
                .set_file(value.as_ref())
                .map_err(|error| OptionError::Failed("PolicyFile", error.to_string())),
            "PolicyUses" => {
                let uses = value.parse();
                self.advisor.uses =
                    uses.map_err(|error| OptionError::Failed("PolicyUses", error))?;
                Ok(())
            }
            "Style" => {
                self.advisor.set_style(value).map_err(|error| OptionError::Failed("Style", error))
            }
            // Not announced: tries out what could stand in the table of levels.
            "Level" => {
                let level = Level::parse(value).ok_or_else(|| bad("elo:nodes:temperature"))?;
                self.strength.trial = Some(level);
                Ok(())
            }
            "Contempt" => {
                self.contempt = value.parse().map_err(|_| bad("centipawns expected"))?;
                Ok(())
            }
            "EvalFile" => {
                let evaluation = Evaluation::from_file(value.as_ref())
                    .map_err(|error| OptionError::Failed("EvalFile", error.to_string()))?;
                self.set_evaluation(&evaluation);
                Ok(())
            }
            "Use NNUE" => {
                let network = value.parse().map_err(|_| bad("true or false expected"))?;
                let classical = Evaluation::Classical;
                self.set_evaluation(&if network { Evaluation::embedded() } else { classical });
                Ok(())
            }
            _ => {
                let mut params: Params = self.worker.params.clone();
                let set = value.parse().is_ok_and(|number| params.set(name, number));
                if !set {
                    return Err(OptionError::Unknown(name.to_owned()));
                }
                self.set_params(&params);
                Ok(())
            }
        }
    }
}
