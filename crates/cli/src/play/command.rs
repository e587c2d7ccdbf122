//! What a player can type.

use tabiya_chess::{Board, Move};

pub(super) const HELP: &str = "\
a move      e4, Nf3, exd5, O-O, e8=Q, or by squares: e2e4, e7e8q
hint        what the engine would play at full strength
undo        take your last move back, with the answer to it
board       show the board; flip turns it round
moves       the moves so far; fen and pgn show the position and the game
level N     strength from 0 to 20; level alone says what it is
draw        claim a draw by threefold repetition or 50 moves
resign      give up; quit leaves the game unfinished";

/// One wish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Nothing,
    Move(Move),
    Help,
    Hint,
    Undo,
    Board,
    Flip,
    Moves,
    Fen,
    Pgn,
    Level(Option<i64>),
    Draw,
    Resign,
    Quit,
}

impl Command {
    /// Reads a line typed on this board, or says why it is nothing.
    pub(super) fn parse(line: &str, board: &Board) -> Result<Self, String> {
        let line = line.trim();
        let mut words = line.split_ascii_whitespace();
        let command = match words.next().map(str::to_ascii_lowercase).as_deref() {
            None => Self::Nothing,
            Some("help" | "?") => Self::Help,
            Some("hint") => Self::Hint,
            Some("undo" | "takeback") => Self::Undo,
            Some("board") => Self::Board,
            Some("flip") => Self::Flip,
            Some("moves") => Self::Moves,
            Some("fen") => Self::Fen,
            Some("pgn") => Self::Pgn,
            Some("draw") => Self::Draw,
            Some("resign") => Self::Resign,
            Some("quit" | "exit") => Self::Quit,
            Some("level") => match words.next() {
                None => Self::Level(None),
                Some(text) => {
                    let level = text.parse().ok().filter(|level| (0..=20).contains(level));
                    Self::Level(Some(level.ok_or("level: expected a number from 0 to 20")?))
                }
            },
            Some(_) => {
                let mv = board.parse_san(line).or_else(|error| {
                    let coordinates = line.to_ascii_lowercase();
                    board.parse_uci(&coordinates).map_err(|_| error)
                });
                return mv.map(Self::Move).map_err(|error| format!("'{line}': {error}"));
            }
        };
        match words.next() {
            None => Ok(command),
            Some(word) => Err(format!("'{line}': '{word}' is too much")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_words_are_told_apart() {
        let board = Board::default();
        let parse = |line: &str| Command::parse(line, &board);
        let pawn = board.parse_uci("e2e4").unwrap();
        for line in ["e4", "e2e4", "E2E4", "  e4\r"] {
            assert_eq!(parse(line), Ok(Command::Move(pawn)), "{line}");
        }
        assert_eq!(parse("b4"), Ok(Command::Move(board.parse_uci("b2b4").unwrap())));
        assert_eq!(parse(""), Ok(Command::Nothing));
        assert_eq!(parse("HINT"), Ok(Command::Hint));
        assert_eq!(parse("level 3"), Ok(Command::Level(Some(3))));
        for line in ["e5", "Ke9", "level 21", "level x", "hint please", "e4 e5", "\u{1f600}"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
