//! Whole games under the engine's eyes: evaluations, judgements, accuracy, remarks, and reports of all
//! that as PGN, JSON and HTML.
//!
//! [`analyse`] looks at one game and returns a [`GameAnalysis`]; `Annotator` does it for the games of
//! a file as a `Task` of `batch`. Win percentage, accuracy and the classes of mistakes follow
//! lichess's published formulas, see [`crate::analyst::insight`] and [`Judgement`].

mod analysis;
#[cfg(feature = "native")]
mod diagram;
mod game;
#[cfg(feature = "native")]
mod graph;
#[cfg(feature = "native")]
mod html;
mod judgement;
mod marks;
mod pgn;
#[cfg(feature = "native")]
mod prove;
#[cfg(feature = "native")]
mod task;

pub use analysis::{GameAnalysis, MoveAnalysis, Opening, Phase, PhaseSummary, SideSummary};
#[cfg(feature = "native")]
pub use diagram::{Arrow, diagram, picture, piece_symbols};
pub use game::{analyse, analyse_in_parts, analyse_with};
#[cfg(feature = "native")]
pub use graph::graph;
#[cfg(feature = "native")]
pub use html::report;
#[cfg(feature = "native")]
pub(crate) use html::{BOARD_SCRIPT, head as page_head};
pub use judgement::{Judgement, Mark};
pub use pgn::annotate;
#[cfg(feature = "native")]
pub use prove::{Proof, prove};
#[cfg(feature = "native")]
pub use task::{Annotator, AnnotatorWorker, Format, GameNote, PlayerTally, Reasons, Tallies};
