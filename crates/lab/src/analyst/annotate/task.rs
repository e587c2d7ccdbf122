//! Annotating all games of a file.

use super::analysis::{GameAnalysis, MoveAnalysis, SideSummary};
use super::judgement::Judgement;
use super::prove::{Proof, prove};
use super::{analyse_with, annotate, html};
use crate::analyst::batch::{BatchError, GameTexts, NumberedGame, Task, WithinGame};
use crate::analyst::facts::{CONFIRM_NODES, Fact};
use crate::analyst::insight::Thinker;
use crate::work::StopSignal;
use crate::work::files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tabiya_engine::TableError;

/// Players beyond this many are not listed: memory stays bounded whatever the file.
const MOST_PLAYERS: usize = 2000;

/// The second proof of a remark may take this many times the budget, and always more than any search that
/// the remark rests on, with a hash table of so many megabytes.
const PROOF_FACTOR: u32 = 8;
const PROOF_NODES: u64 = 16 * CONFIRM_NODES;
const PROOF_HASH: usize = 16;

/// A form in which the analysis is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Annotated games.
    Pgn,
    /// One object per line and game.
    Json,
    /// One page for all games.
    Html,
    /// Every remark with a second proof of it, one object per line; see [`super::prove()`].
    Proof,
}

/// What a player did over several games.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PlayerTally {
    /// Games with at least one move.
    pub games: u32,
    /// Two for a win, one for a draw.
    pub half_points: u32,
    /// Moves.
    pub moves: usize,
    /// Sum of the games' accuracies.
    accuracy_sum: f64,
    /// Sum of the moves' losses in centipawns.
    loss_sum: f64,
    /// Moves that cost a little.
    pub inaccuracies: usize,
    /// Moves that cost much.
    pub mistakes: usize,
    /// Moves that cost most.
    pub blunders: usize,
}

impl PlayerTally {
    /// Mean accuracy of the games.
    pub fn accuracy(&self) -> Option<f64> {
        (self.games > 0).then(|| self.accuracy_sum / f64::from(self.games))
    }

    /// Mean loss of the moves.
    pub fn average_loss_cp(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.loss_sum / self.moves as f64)
    }
}

/// How many bad moves of a class there are, and of how many it is said why they are bad.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reasons {
    /// Moves.
    pub moves: u64,
    /// Those with a reason.
    pub explained: u64,
}

impl Reasons {
    fn of(analysis: &GameAnalysis, class: Judgement) -> Self {
        let of_class = || analysis.moves.iter().filter(|step| step.judgement == Some(class));
        let is_explained = |step: &&MoveAnalysis| step.facts.iter().any(Fact::is_reason);
        Self {
            moves: of_class().count() as u64,
            explained: of_class().filter(is_explained).count() as u64,
        }
    }

    fn add(&mut self, other: Self) {
        self.moves += other.moves;
        self.explained += other.explained;
    }

    /// The share of moves with a reason, in per cent; all of none.
    pub fn percent(&self) -> f64 {
        if self.moves == 0 { 100.0 } else { 100.0 * self.explained as f64 / self.moves as f64 }
    }
}

/// What all players did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tallies {
    /// Number of games.
    pub games: u64,
    /// Remarks that were proven a second time, or were to be.
    #[serde(default)]
    pub remarks: u64,
    /// Those that could not.
    #[serde(default)]
    pub unproven: u64,
    /// Mistakes, and those of them whose reason is told.
    #[serde(default)]
    pub mistakes: Reasons,
    /// Blunders, and those of them whose reason is told.
    #[serde(default)]
    pub blunders: Reasons,
    /// Players by name.
    pub players: BTreeMap<String, PlayerTally>,
}

impl Tallies {
    fn add(&mut self, side: &SideSummary, half_points: u32) {
        let Some((accuracy, loss)) = side.accuracy.zip(side.average_loss_cp) else { return };
        if self.players.len() >= MOST_PLAYERS && !self.players.contains_key(&side.name) {
            return;
        }
        let tally = self.players.entry(side.name.clone()).or_default();
        tally.games += 1;
        tally.half_points += half_points;
        tally.moves += side.moves;
        tally.accuracy_sum += accuracy;
        tally.loss_sum += loss * side.moves as f64;
        tally.inaccuracies += side.inaccuracies;
        tally.mistakes += side.mistakes;
        tally.blunders += side.blunders;
    }
}

/// Analyses games and writes them in several forms.
#[derive(Clone, Debug)]
pub struct Annotator {
    /// What goes to each output, in their order.
    pub formats: Vec<Format>,
    /// A folder for one page per game, `game-000001.html` and so on.
    pub page_folder: Option<PathBuf>,
    /// Drop the comments, glyphs and variations that are there.
    pub clean: bool,
    /// The title of the page for all games.
    pub title: String,
}

/// What is remembered of a game.
#[derive(Clone, Debug)]
pub struct GameNote {
    white: SideSummary,
    black: SideSummary,
    half_points: [u32; 2],
    /// Remarks that were to be proven, and those that could not.
    proofs: [u64; 2],
    mistakes: Reasons,
    blunders: Reasons,
    /// The game's own page.
    page: Option<(PathBuf, String)>,
}

/// What one thread annotates with.
pub struct AnnotatorWorker {
    thinker: Thinker,
    /// An engine of its own, so that it cannot believe what the first one remembers; only if remarks
    /// are to be proven.
    prover: Option<Thinker>,
}

impl Task for Annotator {
    type Worker = AnnotatorWorker;
    type Note = GameNote;
    type Summary = Tallies;

    fn work(
        &self,
        AnnotatorWorker { thinker, prover }: &mut AnnotatorWorker,
        NumberedGame { number, mut game }: NumberedGame,
        stop: &StopSignal,
        tell: &mut dyn FnMut(WithinGame),
    ) -> Option<GameTexts<GameNote>> {
        if self.clean {
            clean(&mut game);
        }
        let analysis = analyse_with(thinker, number, &game, stop, |done, positions| {
            tell(WithinGame { game: number, done, positions });
        })?;
        annotate(&mut game, &analysis);
        let proofs = prover.as_mut().map_or_else(Vec::new, |prover| proofs(prover, &analysis));
        let texts = self.formats.iter().map(|format| match format {
            Format::Pgn => format!("{game}\n"),
            Format::Json => json_line(&analysis),
            Format::Html => html::section(&analysis, number == 1),
            Format::Proof => proofs.iter().map(json_line).collect(),
        });
        let texts = texts.collect();
        let page = self
            .page_folder
            .as_ref()
            .map(|folder| (folder.join(format!("game-{number:06}.html")), html::report(&analysis)));
        let half_points = match analysis.result.as_str() {
            "1-0" => [2, 0],
            "0-1" => [0, 2],
            "1/2-1/2" => [1, 1],
            _ => [0, 0],
        };
        let unproven = proofs.iter().filter(|proof| proof.doubt.is_some()).count();
        let proofs = [proofs.len() as u64, unproven as u64];
        let mistakes = Reasons::of(&analysis, Judgement::Mistake);
        let blunders = Reasons::of(&analysis, Judgement::Blunder);
        let GameAnalysis { white, black, .. } = analysis;
        let note = GameNote { white, black, half_points, proofs, mistakes, blunders, page };
        Some(GameTexts { texts, note })
    }

    fn add(&self, summary: &mut Tallies, note: GameNote) -> Result<(), BatchError> {
        if let Some((path, page)) = note.page {
            files::replace(&path, page.as_bytes())
                .map_err(|error| BatchError::Write(path, error))?;
        }
        summary.games += 1;
        summary.remarks += note.proofs[0];
        summary.unproven += note.proofs[1];
        summary.mistakes.add(note.mistakes);
        summary.blunders.add(note.blunders);
        summary.add(&note.white, note.half_points[0]);
        summary.add(&note.black, note.half_points[1]);
        Ok(())
    }

    fn head(&self, output: usize) -> String {
        match self.formats.get(output) {
            Some(Format::Html) => html::head(&self.title),
            _ => String::new(),
        }
    }

    fn tail(&self, output: usize, summary: &Tallies) -> String {
        match self.formats.get(output) {
            Some(Format::Html) => html::tail(summary),
            _ => String::new(),
        }
    }
}

impl Annotator {
    /// All that a thread needs, beside the engine that analyses. Whoever has no memory for it learns so
    /// before the first game.
    pub fn worker(&self, thinker: Thinker) -> Result<AnnotatorWorker, TableError> {
        let budget = thinker.budget.times(PROOF_FACTOR).at_least(PROOF_NODES);
        let is_wanted = self.formats.contains(&Format::Proof);
        let prover = is_wanted.then(|| Thinker::new(PROOF_HASH, budget)).transpose()?;
        Ok(AnnotatorWorker { thinker, prover })
    }
}

/// The remarks of a game with their second proofs, which do not depend on the games before.
fn proofs(prover: &mut Thinker, analysis: &GameAnalysis) -> Vec<Proof> {
    prover.new_game();
    prove(prover, analysis)
}

fn json_line(value: &impl Serialize) -> String {
    // Only maps with keys that are no text could fail.
    serde_json::to_string(value)
        .map_or_else(|error| format!("{{\"error\":\"{error}\"}}\n"), |text| text + "\n")
}

fn clean(game: &mut tabiya_chess::pgn::PgnGame) {
    use tabiya_chess::pgn::Comment;
    game.mainline.comment.clear();
    for step in &mut game.mainline.moves {
        step.nags.clear();
        step.variations.clear();
        let known = Comment::parse(&step.comment);
        // Clocks are facts, not opinions.
        let kept = Comment { clock: known.clock, elapsed: known.elapsed, ..Comment::default() };
        step.comment = kept.to_string();
    }
}
