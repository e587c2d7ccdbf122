//! The patterns that players have names for, found in a line of play.
//!
//! A [`PlayedLine`] is a position with the moves that follow; whoever is to move first is the solver, whose
//! patterns are looked for. Every family has a file of its own, which says what the pattern is. The names
//! are those that lichess gives to the themes of its puzzles, and where lichess has described what it means
//! by one (the rules of its open puzzle tagger), the same is meant here.

mod defender;
mod discovered;
mod fork;
mod hanging;
mod line;
mod mates;
mod perpetual;
mod pin;
mod promotion;
mod sacrifice;
mod sight;
mod skewer;
mod trapped;
mod zugzwang;
mod zwischenzug;

pub use line::PlayedLine;
pub use zugzwang::is_zugzwang;

use serde::Serialize;
use tabiya_chess::{Board, Color, Move};

/// A pattern.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names say it, and `noun` and the families' files the rest")]
pub enum Kind {
    AnastasiaMate,
    ArabianMate,
    Attraction,
    BackRankMate,
    BodenMate,
    CapturingDefender,
    Deflection,
    DiscoveredAttack,
    DiscoveredCheck,
    DoubleBishopMate,
    DoubleCheck,
    DovetailMate,
    EnPassant,
    EpauletteMate,
    Fork,
    HangingPiece,
    HookMate,
    Interference,
    Intermezzo,
    OperaMate,
    Overloading,
    PerpetualCheck,
    Pin,
    Promotion,
    Sacrifice,
    Skewer,
    SmotheredMate,
    TrappedPiece,
    UnderPromotion,
    XRayAttack,
    Zugzwang,
}

impl Kind {
    /// All of them, by name.
    pub const ALL: [Self; 31] = [
        Self::AnastasiaMate,
        Self::ArabianMate,
        Self::Attraction,
        Self::BackRankMate,
        Self::BodenMate,
        Self::CapturingDefender,
        Self::Deflection,
        Self::DiscoveredAttack,
        Self::DiscoveredCheck,
        Self::DoubleBishopMate,
        Self::DoubleCheck,
        Self::DovetailMate,
        Self::EnPassant,
        Self::EpauletteMate,
        Self::Fork,
        Self::HangingPiece,
        Self::HookMate,
        Self::Interference,
        Self::Intermezzo,
        Self::OperaMate,
        Self::Overloading,
        Self::PerpetualCheck,
        Self::Pin,
        Self::Promotion,
        Self::Sacrifice,
        Self::Skewer,
        Self::SmotheredMate,
        Self::TrappedPiece,
        Self::UnderPromotion,
        Self::XRayAttack,
        Self::Zugzwang,
    ];

    /// The name of the theme in lichess's puzzle files; ours where it has none.
    pub const fn theme(self) -> &'static str {
        match self {
            Self::AnastasiaMate => "anastasiaMate",
            Self::ArabianMate => "arabianMate",
            Self::Attraction => "attraction",
            Self::BackRankMate => "backRankMate",
            Self::BodenMate => "bodenMate",
            Self::CapturingDefender => "capturingDefender",
            Self::Deflection => "deflection",
            Self::DiscoveredAttack => "discoveredAttack",
            Self::DiscoveredCheck => "discoveredCheck",
            Self::DoubleBishopMate => "doubleBishopMate",
            Self::DoubleCheck => "doubleCheck",
            Self::DovetailMate => "dovetailMate",
            Self::EnPassant => "enPassant",
            Self::EpauletteMate => "epauletteMate",
            Self::Fork => "fork",
            Self::HangingPiece => "hangingPiece",
            Self::HookMate => "hookMate",
            Self::Interference => "interference",
            Self::Intermezzo => "intermezzo",
            Self::OperaMate => "operaMate",
            Self::Overloading => "overloading",
            Self::PerpetualCheck => "perpetualCheck",
            Self::Pin => "pin",
            Self::Promotion => "promotion",
            Self::Sacrifice => "sacrifice",
            Self::Skewer => "skewer",
            Self::SmotheredMate => "smotheredMate",
            Self::TrappedPiece => "trappedPiece",
            Self::UnderPromotion => "underPromotion",
            Self::XRayAttack => "xRayAttack",
            Self::Zugzwang => "zugzwang",
        }
    }

    /// What it is called in a sentence, with its article.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::AnastasiaMate => "Anastasia's mate",
            Self::ArabianMate => "an Arabian mate",
            Self::Attraction => "an attraction",
            Self::BackRankMate => "a back-rank mate",
            Self::BodenMate => "Boden's mate",
            Self::CapturingDefender => "the capture of a defender",
            Self::Deflection => "a deflection",
            Self::DiscoveredAttack => "a discovered attack",
            Self::DiscoveredCheck => "a discovered check",
            Self::DoubleBishopMate => "a mate of two bishops",
            Self::DoubleCheck => "a double check",
            Self::DovetailMate => "a dovetail mate",
            Self::EnPassant => "a capture en passant",
            Self::EpauletteMate => "an epaulette mate",
            Self::Fork => "a fork",
            Self::HangingPiece => "a capture of something undefended",
            Self::HookMate => "a hook mate",
            Self::Interference => "an interference",
            Self::Intermezzo => "an intermediate move",
            Self::OperaMate => "an opera mate",
            Self::Overloading => "an overloaded defender",
            Self::PerpetualCheck => "a perpetual check",
            Self::Pin => "a pin",
            Self::Promotion => "a promotion",
            Self::Sacrifice => "a sacrifice",
            Self::Skewer => "a skewer",
            Self::SmotheredMate => "a smothered mate",
            Self::TrappedPiece => "a trap",
            Self::UnderPromotion => "an underpromotion",
            Self::XRayAttack => "an X-ray attack",
            Self::Zugzwang => "zugzwang",
        }
    }
}

/// A pattern and the move of the line that shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Motif {
    /// The pattern.
    pub kind: Kind,
    /// Index of the move in the line.
    pub ply: usize,
}

impl Motif {
    /// What it is called in a sentence.
    pub const fn noun(&self) -> &'static str {
        self.kind.noun()
    }
}

/// The patterns of a line, each at its first appearance, by name. Zugzwang needs a search and is not
/// among them; see [`is_zugzwang`].
pub fn motifs(line: &PlayedLine) -> Vec<Motif> {
    let families = [
        fork::find,
        pin::find,
        skewer::find,
        discovered::find,
        hanging::find,
        trapped::find,
        defender::find,
        sacrifice::find,
        promotion::find,
        mates::find,
        zwischenzug::find,
        perpetual::find,
    ];
    let mut found: Vec<Motif> = families.iter().flat_map(|find| find(line)).collect();
    found.sort_by_key(|motif| (motif.kind, motif.ply));
    found.dedup_by_key(|motif| motif.kind);
    found
}

/// The pattern by which a line mates or wins something from `victim`, if one can be pointed at: its
/// piece takes what the pattern is about.
pub fn cause(board: &Board, line: &[Move], victim: Color) -> Option<Motif> {
    const FIRST: [Kind; 14] = [
        Kind::SmotheredMate,
        Kind::AnastasiaMate,
        Kind::ArabianMate,
        Kind::BodenMate,
        Kind::DoubleBishopMate,
        Kind::EpauletteMate,
        Kind::OperaMate,
        Kind::BackRankMate,
        Kind::HookMate,
        Kind::DovetailMate,
        Kind::Skewer,
        Kind::DiscoveredAttack,
        Kind::TrappedPiece,
        Kind::HangingPiece,
    ];
    if board.side_to_move() == victim || line.is_empty() {
        return None;
    }
    let line = PlayedLine::new(board, line);
    if line.end().is_checkmate() {
        let found = mates::find(&line);
        return FIRST.iter().find_map(|kind| found.iter().find(|m| m.kind == *kind)).copied();
    }
    if let Some(fork) = fork::that_wins(&line) {
        return Some(fork);
    }
    let found = motifs(&line);
    FIRST.iter().find_map(|kind| found.iter().find(|motif| motif.kind == *kind)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::insight::parse_line;

    /// The patterns of a line in standard notation.
    pub(super) fn kinds(fen: &str, texts: &[&str]) -> Vec<Kind> {
        let board: Board = fen.parse().unwrap();
        let line = PlayedLine::new(&board, &parse_line(&board, texts));
        motifs(&line).iter().map(|motif| motif.kind).collect()
    }

    #[test]
    fn every_kind_is_listed_once_and_has_its_own_name() {
        let mut names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.theme()).collect();
        assert!(names.is_sorted_by_key(|name| name.to_lowercase()));
        names.dedup();
        assert_eq!(names.len(), Kind::ALL.len());
    }

    #[test]
    fn a_loss_is_put_down_to_what_wins() {
        let board: Board = "6k1/3q4/8/3N4/8/8/5PPP/6K1 w - - 0 1".parse().unwrap();
        let line = parse_line(&board, &["Nf6+", "Kg7", "Nxd7"]);
        assert_eq!(cause(&board, &line, Color::Black).map(|motif| motif.kind), Some(Kind::Fork));
        assert_eq!(cause(&board, &line, Color::White), None);
    }
}
