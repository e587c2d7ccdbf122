//! Whole games under the engine's eyes: evaluations, judgements, accuracy, remarks, and reports of all
//! that as PGN, JSON and HTML.
//!
//! [`analyse`] looks at one game and returns a [`GameAnalysis`]; [`Annotator`] does it for the games of
//! a file as a [`crate::analyst::batch::Task`]. Win percentage, accuracy and the classes of mistakes follow
//! lichess's published formulas, see [`crate::analyst::insight`] and [`Judgement`].

mod analysis;
mod diagram;
mod game;
mod graph;
mod html;
mod judgement;
mod marks;
mod pgn;
mod prove;
mod task;

pub use analysis::{GameAnalysis, MoveAnalysis, Opening, Phase, PhaseSummary, SideSummary};
pub use diagram::{Arrow, diagram, picture, piece_symbols};
pub use game::{analyse, analyse_with};
pub use graph::graph;
pub use html::report;
pub(crate) use html::{BOARD_SCRIPT, head as page_head};
pub use judgement::{Judgement, Mark};
pub use pgn::annotate;
pub use prove::{Proof, prove};
pub use task::{Annotator, Format, GameNote, PlayerTally, Reasons, Tallies};
