//! Games of a match as PGN, with what the players thought in comments.

use super::game::{MoveNote, PlayedGame, Reason};
use super::player::Score;
use super::schedule::Fixture;
use super::spec::EngineSpec;
use tabiya_chess::pgn::{Comment, Eval, PgnGame};
use tabiya_chess::{Color, GameResult, openings};

/// Writes a game with its tags and the empty line that separates it from the next.
pub(super) fn to_pgn(
    fixture: &Fixture,
    played: &PlayedGame,
    white: &EngineSpec,
    black: &EngineSpec,
    chess960: bool,
) -> String {
    let mut pgn = PgnGame::from(&played.game);
    pgn.result = played.end.winner.map_or(GameResult::Draw, GameResult::Win);
    pgn.set_tag("Event", "Tabiya match");
    pgn.set_tag("Round", format!("{}.{}", fixture.round + 1, fixture.game % 2 + 1));
    pgn.set_tag("White", &white.name);
    pgn.set_tag("Black", &black.name);
    if chess960 {
        pgn.set_tag("Variant", "Chess960");
    }
    if let Some(opening) = openings::of_game(&played.game) {
        pgn.set_tag("ECO", opening.eco);
        pgn.set_tag("Opening", opening.name);
    }
    pgn.set_tag("WhiteTimeControl", white.limits.to_string());
    pgn.set_tag("BlackTimeControl", black.limits.to_string());
    pgn.set_tag("PlyCount", played.game.moves().len().to_string());
    pgn.set_tag("Termination", termination(played.end.reason));
    let detail = played.end.detail.as_ref().map(|detail| format!(": {detail}"));
    pgn.set_tag("Reason", format!("{}{}", played.end.reason, detail.unwrap_or_default()));
    let opening = pgn.mainline.moves.len() - played.notes.len();
    let mut mover = played.game.start().side_to_move();
    if opening % 2 == 1 {
        mover = !mover;
    }
    for (step, note) in pgn.mainline.moves.iter_mut().skip(opening).zip(&played.notes) {
        step.comment = comment(note, mover);
        mover = !mover;
    }
    format!("{pgn}\n")
}

/// The value of the tag `Termination` that the PGN standard has for this end.
fn termination(reason: Reason) -> &'static str {
    match reason {
        Reason::TimeLoss => "time forfeit",
        Reason::IllegalMove | Reason::Protocol => "rules infraction",
        Reason::Resignation | Reason::DrawAgreement | Reason::Tablebase | Reason::MoveLimit => {
            "adjudication"
        }
        reason if reason.is_failure() => "abandoned",
        _ => "normal",
    }
}

/// Evaluation from White's view with its depth, time used and nodes:
/// `[%eval 0.31,12] [%emt 0:00:00.42] [%nodes 90210]`.
fn comment(note: &MoveNote, mover: Color) -> String {
    let sign = if mover == Color::White { 1 } else { -1 };
    let eval = note.score.map(|score| Eval {
        score: match score {
            Score::Centipawns(value) => Score::Centipawns(sign * value),
            Score::Mate(moves) => Score::Mate(sign * moves),
        },
        depth: note.depth,
    });
    let nodes = note.nodes.map(|nodes| ("nodes".to_string(), nodes.to_string()));
    Comment {
        eval,
        elapsed: Some(note.elapsed),
        other: nodes.into_iter().collect(),
        ..Comment::default()
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{GameEnd, TimeUse};
    use std::time::Duration;
    use tabiya_chess::Game;
    use tabiya_chess::pgn::PgnReader;

    #[test]
    fn notes_come_back_from_whites_view() {
        let mut game = Game::default();
        for text in ["e4", "e5", "Nf3"] {
            game.play(game.board().parse_san(text).unwrap()).unwrap();
        }
        let note = |score| MoveNote {
            score: Some(score),
            depth: Some(9),
            nodes: Some(77),
            elapsed: Duration::from_millis(250),
        };
        // The first move is the opening's.
        let notes = vec![note(Score::Centipawns(31)), note(Score::Mate(-2))];
        let end = GameEnd {
            winner: Some(Color::Black),
            reason: Reason::Crash,
            detail: Some("ended with exit status: 7".to_string()),
            broken: Some(Color::White),
            is_excused: false,
        };
        let played = PlayedGame { game, notes, end, times: [TimeUse::default(); 2] };
        let fixture = Fixture { game: 3, pair: 1, round: 1, white: 0, black: 1 };
        let spec = |text: &str| EngineSpec::parse(text, "tc=3+0.03").unwrap();
        let text = to_pgn(&fixture, &played, &spec("self name=a"), &spec("cmd=b"), false);
        assert!(text.ends_with("0-1\n\n"), "{text}");
        let read = PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!(read.result, GameResult::Win(Color::Black));
        assert_eq!(read.tag("Round"), Some("2.2"));
        assert_eq!(read.tag("WhiteTimeControl"), Some("tc=3+0.03"));
        assert_eq!(read.tag("Reason"), Some("crash: ended with exit status: 7"));
        assert_eq!(read.tag("Termination"), Some("abandoned"));
        let opening = (read.tag("ECO"), read.tag("Opening"));
        assert_eq!(opening, (Some("C40"), Some("King's Knight Opening")));
        let notes: Vec<Comment> =
            read.mainline.moves.iter().map(|step| Comment::parse(&step.comment)).collect();
        assert_eq!(notes[0], Comment::default());
        let black = Eval { score: Score::Centipawns(-31), depth: Some(9) };
        assert_eq!(notes[1].eval, Some(black));
        assert_eq!(notes[2].eval.map(|eval| eval.score), Some(Score::Mate(-2)));
        assert_eq!(notes[2].elapsed, Some(Duration::from_millis(250)));
    }
}
