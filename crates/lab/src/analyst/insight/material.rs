//! What a line wins and loses in pieces, and words for it.

use tabiya_chess::{Board, Color, Move, PieceType};

/// The types that can be lost, most valuable first, with their worth in pawns and their names.
const KINDS: [(PieceType, i32, &str); 5] = [
    (PieceType::Queen, 9, "queen"),
    (PieceType::Rook, 5, "rook"),
    (PieceType::Bishop, 3, "bishop"),
    (PieceType::Knight, 3, "knight"),
    (PieceType::Pawn, 1, "pawn"),
];

/// Lines are followed this far; beyond it a search has little to say.
const HORIZON: usize = 10;

/// Material in pawns by the usual count, as `side` sees it.
pub fn balance(board: &Board, side: Color) -> i32 {
    let count = |color, kind| board.pieces(color, kind).count() as i32;
    KINDS.iter().map(|&(kind, worth, _)| worth * (count(side, kind) - count(!side, kind))).sum()
}

/// A line up to a point where no exchange is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SettledLine {
    /// The position there.
    pub board: Board,
    /// Moves up to there.
    pub plies: usize,
}

/// Follows a line to its last quiet point, if it has one: a point after which the line goes on with
/// something else than a capture, promotion or answer to a check.
pub fn settle(board: &Board, line: &[Move]) -> Option<SettledLine> {
    let mut current = *board;
    let mut settled = None;
    for (index, mv) in line.iter().enumerate().take(HORIZON + 1) {
        if !mv.is_noisy() && !current.in_check() {
            settled = Some(SettledLine { board: current, plies: index });
        }
        current.play(*mv);
    }
    if !current.has_legal_move() {
        settled = Some(SettledLine { board: current, plies: line.len() });
    }
    settled
}

/// What a side gives and gets, in pieces that do not cancel out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exchange {
    /// By type as in `KINDS`: how many more the side has lost (or, if negative, won).
    net: [i32; 5],
}

impl Exchange {
    /// What happened to `side` between two positions.
    pub fn between(before: &Board, after: &Board, side: Color) -> Self {
        let lead = |board: &Board, kind| {
            board.pieces(side, kind).count() as i32 - board.pieces(!side, kind).count() as i32
        };
        Self { net: KINDS.map(|(kind, ..)| lead(before, kind) - lead(after, kind)) }
    }

    /// The loss in pawns.
    pub fn loss(&self) -> i32 {
        self.net.iter().zip(KINDS).map(|(count, (_, worth, _))| count * worth).sum()
    }

    /// The same for the other side.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { net: self.net.map(|count| -count) }
    }

    /// What is lost, in words: `a knight`, `the exchange`, `the queen for a rook`; `None` if it is
    /// worth no pawn.
    pub fn loss_text(&self) -> Option<String> {
        if self.loss() < 1 {
            return None;
        }
        // A bishop for a knight is nothing to talk about.
        let mut net = self.net;
        let [.., bishops, knights, _] = &mut net;
        let pairs = if bishops.signum() * knights.signum() < 0 {
            bishops.abs().min(knights.abs())
        } else {
            0
        };
        *bishops -= bishops.signum() * pairs;
        *knights -= knights.signum() * pairs;
        match net {
            [0, 1, bishops, knights, 0] if bishops + knights == -1 => {
                return Some("the exchange".to_owned());
            }
            _ => {}
        }
        let list = |sign: i32| {
            let parts: Vec<String> = net
                .iter()
                .zip(KINDS)
                .filter(|(count, _)| *count * sign > 0)
                .map(|(count, (kind, _, name))| match count.abs() {
                    1 if kind == PieceType::Queen => format!("the {name}"),
                    1 => format!("a {name}"),
                    2 => format!("two {name}s"),
                    count => format!("{count} {name}s"),
                })
                .collect();
            parts.join(" and ")
        };
        match (list(1), list(-1)) {
            (lost, won) if won.is_empty() => Some(lost),
            (lost, won) => Some(format!("{lost} for {won}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(net: [i32; 5]) -> Option<String> {
        Exchange { net }.loss_text()
    }

    #[test]
    fn losses_have_their_usual_names() {
        assert_eq!(exchange([0, 0, 0, 1, 0]).as_deref(), Some("a knight"));
        assert_eq!(exchange([1, 0, 0, 0, 0]).as_deref(), Some("the queen"));
        assert_eq!(exchange([1, -1, 0, 0, 0]).as_deref(), Some("the queen for a rook"));
        assert_eq!(exchange([0, 1, -1, 0, 0]).as_deref(), Some("the exchange"));
        assert_eq!(exchange([0, 1, 0, -1, 0]).as_deref(), Some("the exchange"));
        assert_eq!(exchange([0, 0, 1, -1, 2]).as_deref(), Some("two pawns"));
        assert_eq!(exchange([0, 0, 1, 0, 1]).as_deref(), Some("a bishop and a pawn"));
        assert_eq!(exchange([0, 0, 1, -1, 0]), None);
        assert_eq!(exchange([0, 0, 1, 0, -3]), None);
        assert_eq!(exchange([0, 0, -1, 0, 0]), None);
    }

    #[test]
    fn a_line_is_counted_where_it_is_quiet() {
        let board: Board = "4k3/8/3p4/4n3/8/5N2/8/4K3 w - - 0 1".parse().unwrap();
        let mut at = board;
        let line: Vec<Move> = ["Nxe5", "dxe5", "Ke2"]
            .into_iter()
            .map(|text| {
                let mv = at.parse_san(text).unwrap();
                at.play(mv);
                mv
            })
            .collect();
        // In the midst of the exchange there is nothing to count but the start.
        assert_eq!(settle(&board, &line[..2]), None);
        let settled = settle(&board, &line).unwrap();
        assert_eq!(settled.plies, 2);
        let after = Exchange::between(&board, &settled.board, Color::White);
        assert_eq!((after.loss(), balance(&settled.board, Color::White)), (0, -1));
    }
}
