//! What a line wins and loses in pieces, and words for it.

use super::quiet::{is_quiet, tension};
use tabiya_chess::{Bitboard, Board, Color, Move, PieceType};

/// The types that can be lost, most valuable first, with their worth in pawns and their names.
const KINDS: [(PieceType, i32, &str); 5] = [
    (PieceType::Queen, 9, "queen"),
    (PieceType::Rook, 5, "rook"),
    (PieceType::Bishop, 3, "bishop"),
    (PieceType::Knight, 3, "knight"),
    (PieceType::Pawn, 1, "pawn"),
];

/// Lines are followed this far; beyond it a search has little to say.
const HORIZON: usize = 16;

/// What a piece counts for, in pawns; a king for nothing.
pub fn worth(kind: PieceType) -> i32 {
    KINDS.iter().find(|known| known.0 == kind).map_or(0, |known| known.1)
}

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

/// Follows a line to where its last change of the balance is complete: the first quiet point (see
/// [`is_quiet`]) after which every other quiet point of the line has the same balance. `None` if the
/// line has no quiet point behind its start.
pub fn settle(board: &Board, line: &[Move]) -> Option<SettledLine> {
    quiet_points(board, line).pop()
}

/// The first quiet point for each balance that a line goes through, in their order.
fn quiet_points(board: &Board, line: &[Move]) -> Vec<SettledLine> {
    let side = board.side_to_move();
    let mut points: Vec<SettledLine> = Vec::new();
    for point in positions_of(board, line).filter(|point| is_quiet(&point.board)) {
        let same = points.last().is_some_and(|known| {
            balance(&known.board, side) == balance(&point.board, side)
                && point.board.has_legal_move()
        });
        if !same {
            points.push(point);
        }
    }
    points
}

/// The points of a line where its pieces can be counted, the best first: the quiet ones from the last to
/// the first or, if there is none, the one where the least is under way.
pub fn countable_points(board: &Board, line: &[Move]) -> Vec<SettledLine> {
    let quiet: Vec<SettledLine> = quiet_points(board, line).into_iter().rev().collect();
    if !quiet.is_empty() {
        return quiet;
    }
    let calmest = positions_of(board, line)
        .filter_map(|point| Some((tension(&point.board)?, point)))
        .min_by_key(|(tension, _)| *tension);
    calmest.into_iter().map(|(_, point)| point).collect()
}

/// The positions after each move of a line, as far as it is followed.
fn positions_of(board: &Board, line: &[Move]) -> impl Iterator<Item = SettledLine> {
    let mut current = *board;
    line.iter().enumerate().take(HORIZON).map(move |(index, mv)| {
        current.play(*mv);
        SettledLine { board: current, plies: index + 1 }
    })
}

/// What a side gives and gets, in pieces that do not cancel out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exchange {
    /// By type as in `KINDS`: how many more the side has lost (or, if negative, won) by captures.
    net: [i32; 5],
    /// How many more pawns of the opponent have become queens or other pieces that are still there.
    promoted: i32,
    /// What these promotions cost the side, in pawns.
    promotion_loss: i32,
}

impl Exchange {
    /// What happens to `side` along a line.
    pub fn along(board: &Board, line: &[Move], side: Color) -> Self {
        let mut current = *board;
        let mut found = Self::default();
        // Where promoted pieces stand: taking one of them takes the pawn it was.
        let mut promoted = Bitboard::EMPTY;
        for mv in line {
            let sign = if current.side_to_move() == side { -1 } else { 1 };
            if let Some(taken) = current.captured(*mv) {
                if promoted.contains(mv.to()) {
                    found.promoted += sign;
                    found.promotion_loss += sign * (worth(taken) - 1);
                    found.count(PieceType::Pawn, sign);
                } else {
                    found.count(taken, sign);
                }
            }
            let was_promoted = promoted.contains(mv.from());
            promoted = promoted - Bitboard::of(mv.from()) - Bitboard::of(mv.to());
            if let Some(kind) = mv.promotion() {
                found.promoted += sign;
                found.promotion_loss += sign * (worth(kind) - 1);
            }
            if was_promoted || mv.is_promotion() {
                promoted |= Bitboard::of(mv.to());
            }
            current.play(*mv);
        }
        found
    }

    fn count(&mut self, kind: PieceType, sign: i32) {
        for (net, known) in self.net.iter_mut().zip(KINDS) {
            *net += if known.0 == kind { sign } else { 0 };
        }
    }

    /// The loss in pawns.
    pub fn loss(&self) -> i32 {
        let taken = self.net.iter().zip(KINDS).map(|(count, (_, worth, _))| count * worth);
        taken.sum::<i32>() + self.promotion_loss
    }

    /// Whether more of the opponent's pawns than of the side's own have promoted for good.
    pub const fn is_promotion(&self) -> bool {
        self.promoted > 0
    }

    /// Whether it is a single piece for nothing.
    pub fn is_one_piece(&self) -> bool {
        let [.., pawns] = self.net;
        let lost: i32 = self.net.iter().sum();
        lost == 1 && pawns == 0 && self.net.iter().all(|count| *count >= 0)
    }

    /// The same for the other side.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            net: self.net.map(|count| -count),
            promoted: -self.promoted,
            promotion_loss: -self.promotion_loss,
        }
    }

    /// What is lost, in words: `a knight`, `the exchange`, `the queen for a rook`; `None` if it is
    /// worth no pawn or is a promotion, which has words of its own.
    pub fn loss_text(&self) -> Option<String> {
        if self.loss() < 1 || self.promoted != 0 {
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
    use crate::analyst::insight::parse_line as line;

    fn exchange(net: [i32; 5]) -> Option<String> {
        Exchange { net, ..Exchange::default() }.loss_text()
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
        let line = line(&board, &["Nxe5", "dxe5", "Ke2"]);
        // In the midst of the exchange there is nothing to count.
        assert_eq!(settle(&board, &line[..1]), None);
        assert_eq!(countable_points(&board, &line[..1]).len(), 1);
        let settled = settle(&board, &line).unwrap();
        assert_eq!(settled.plies, 2);
        assert_eq!(countable_points(&board, &line)[0], settled);
        let along = Exchange::along(&board, &line[..settled.plies], Color::White);
        assert_eq!((along.loss(), balance(&settled.board, Color::White)), (0, -1));
    }

    #[test]
    fn a_quiet_move_with_a_piece_hanging_settles_nothing() {
        // White's knight has been taken; before taking back, White attacks the queen.
        let board: Board =
            "rnb1kbnr/pppp1ppp/8/8/3qP3/5N2/PPP2PPP/RNBQKB1R w KQkq - 0 1".parse().unwrap();
        let line = line(&board, &["Nc3", "Qxd1+", "Kxd1"]);
        assert_eq!(settle(&board, &line[..1]), None);
        let settled = settle(&board, &line).unwrap();
        let along = Exchange::along(&board, &line[..settled.plies], Color::White);
        assert_eq!((settled.plies, along.loss()), (3, 0));
    }

    #[test]
    fn promotions_are_not_told_as_losses_of_queens() {
        let board: Board = "8/P5k1/8/8/8/8/8/K7 w - - 0 1".parse().unwrap();
        let promotion = line(&board, &["a8=Q"]);
        let along = Exchange::along(&board, &promotion, Color::Black);
        assert_eq!((along.loss(), along.is_promotion(), along.loss_text()), (8, true, None));
        let taken: Board = "1r6/P5k1/8/8/8/8/8/K7 w - - 0 1".parse().unwrap();
        let line = line(&taken, &["a8=Q", "Rxa8+"]);
        let along = Exchange::along(&taken, &line, Color::White);
        assert_eq!(along.loss_text().as_deref(), Some("a pawn"));
    }
}
