//! How games end, by hand-made cases and against an oracle that remembers every position as text.

use crate::common::Random;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};
use std::collections::HashMap;
use tabiya_chess::{Board, Color, EndReason, Game, GameResult, Outcome};

fn game_from(fen: &str) -> Game {
    Game::from_board(Board::from_fen(fen, false).expect("a legal position"))
}

/// Plays moves given as coordinates, castling as king takes rook.
fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let found = game.board().legal_moves().iter().find(|mv| format!("{mv:?}") == text);
        let mv = found.unwrap_or_else(|| panic!("{text} in {}", game.board()));
        game.play(mv).expect("a generated move is legal");
    }
}

fn reason(game: &Game) -> Option<EndReason> {
    game.outcome().map(|outcome| outcome.reason)
}

#[test]
fn mate_on_the_hundredth_ply_beats_the_draw() {
    for clock in [99, 149] {
        let mut game = game_from(&format!("7k/8/6K1/8/8/8/8/R7 w - - {clock} 90"));
        play(&mut game, "a1a8");
        let mate = Outcome { winner: Some(Color::White), reason: EndReason::Checkmate };
        assert_eq!(game.outcome(), Some(mate));
        assert_eq!(game.result(), GameResult::Win(Color::White));
        game.undo();
        play(&mut game, "a1a7");
        assert_eq!(game.outcome().map(|outcome| outcome.winner), Some(None));
        assert_eq!(game.is_over(), clock == 149);
    }
}

#[test]
fn the_fifty_move_draw_is_a_claim_and_the_75_move_draw_is_not() {
    let mut game = game_from("4k3/8/8/8/8/8/4P3/4K3 w - - 98 90");
    play(&mut game, "e1d1");
    assert_eq!(game.outcome(), None);
    play(&mut game, "e8d8");
    assert_eq!(reason(&game), Some(EndReason::FiftyMoves));
    assert!(!game.is_over());
    play(&mut game, "e2e3");
    assert_eq!(game.outcome(), None);
    let game = game_from("4k3/8/8/8/8/8/4P3/4K3 w - - 150 90");
    assert_eq!(reason(&game), Some(EndReason::SeventyFiveMoves));
    assert!(game.is_over());
}

#[test]
fn threefold_is_claimable_and_fivefold_ends_the_game() {
    let mut game = Game::default();
    for times in 2..=5 {
        play(&mut game, "g1f3 g8f6 f3g1 f6g8");
        let expected = match times {
            2 => None,
            3 | 4 => Some(EndReason::ThreefoldRepetition),
            _ => Some(EndReason::FivefoldRepetition),
        };
        assert_eq!(reason(&game), expected, "{times} times");
        assert_eq!(game.is_over(), times == 5);
    }
}

#[test]
fn a_lost_castling_right_makes_another_position() {
    let mut game = game_from("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1");
    play(&mut game, "h1h2 a8a7 h2h1 a7a8 h1h2 a8a7 h2h1 a7a8");
    // Three times the same diagram, but the first time both sides could still castle.
    assert_eq!(game.outcome(), None);
    play(&mut game, "h1h2 a8a7 h2h1 a7a8");
    assert_eq!(reason(&game), Some(EndReason::ThreefoldRepetition));
}

#[test]
fn an_en_passant_right_makes_another_position_only_if_the_capture_is_legal() {
    let shuffle = "g8h8 g1h1 h8g8 h1g1 g8h8 g1h1 h8g8 h1g1";
    let mut game = game_from("6k1/8/8/8/3p4/8/4P3/6K1 w - - 0 1");
    play(&mut game, "e2e4");
    play(&mut game, shuffle);
    assert_eq!(game.outcome(), None);

    let mut game = game_from("6k1/8/8/8/8/8/4P3/6K1 w - - 0 1");
    play(&mut game, "e2e4");
    play(&mut game, shuffle);
    assert_eq!(reason(&game), Some(EndReason::ThreefoldRepetition));

    // The pawn that could capture is pinned by the bishop: no right to lose.
    let mut game = game_from("8/5k2/8/8/2p5/1B6/3P4/6K1 w - - 0 1");
    play(&mut game, "d2d4");
    assert_eq!(game.board().en_passant(), None);
    play(&mut game, "f7g7 g1h1 g7f7 h1g1 f7g7 g1h1 g7f7 h1g1");
    assert_eq!(reason(&game), Some(EndReason::ThreefoldRepetition));
}

#[test]
fn material_decides_when_nobody_can_mate() {
    let cases = [
        ("4k3/8/8/8/8/8/8/4K3", true),
        ("4k3/8/8/8/8/8/8/4KN2", true),
        ("4kb2/8/8/8/8/8/8/4K3", true),
        ("2b1k3/8/8/8/8/8/8/4KB2", true),
        ("2b1kb2/8/8/8/8/8/8/4K3", false),
        ("4kb2/8/8/8/8/8/8/4KB2", false),
        ("4k3/8/8/8/8/8/8/3NKN2", false),
        ("4kn2/8/8/8/8/8/8/4KN2", false),
        ("4kn2/8/8/8/8/8/8/4KB2", false),
        ("4k3/8/8/8/8/8/P7/4K3", false),
        ("4k3/8/8/8/8/8/8/4K2R", false),
        ("4k3/8/8/8/8/8/8/4K2Q", false),
    ];
    for (pieces, drawn) in cases {
        let game = game_from(&format!("{pieces} w - - 0 1"));
        let expected = drawn.then_some(EndReason::InsufficientMaterial);
        assert_eq!(reason(&game), expected, "{pieces}");
    }
}

#[test]
fn stalemate_is_a_draw() {
    let game = game_from("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(game.outcome(), Some(Outcome { winner: None, reason: EndReason::Stalemate }));
    assert_eq!(game.result().to_string(), "1/2-1/2");
}

#[test]
fn undo_leads_back_to_the_start_and_illegal_moves_change_nothing() {
    let mut game = Game::default();
    play(&mut game, "e2e4 e7e5");
    let before = game.clone();
    assert!(game.play(before.moves()[0]).is_err());
    assert_eq!(game, before);
    assert!(game.undo().is_some() && game.undo().is_some());
    assert_eq!(game, Game::default());
    assert_eq!(game.undo(), None);
}

/// What the rules say of a position that was there so many times, with material judged by shakmaty.
fn naive_outcome(board: &Board, times: usize) -> Option<EndReason> {
    let fen: Fen = board.to_string().parse().expect("a FEN");
    let clock = fen.as_setup().halfmoves;
    let position: Chess = fen.into_position(CastlingMode::Standard).expect("a legal FEN");
    let stuck = position.legal_moves().is_empty();
    Some(match () {
        () if stuck && position.is_check() => EndReason::Checkmate,
        () if stuck => EndReason::Stalemate,
        () if position.is_insufficient_material() => EndReason::InsufficientMaterial,
        () if times >= 5 => EndReason::FivefoldRepetition,
        () if clock >= 150 => EndReason::SeventyFiveMoves,
        () if times >= 3 => EndReason::ThreefoldRepetition,
        () if clock >= 100 => EndReason::FiftyMoves,
        () => return None,
    })
}

#[test]
fn outcomes_agree_with_a_list_of_all_positions() {
    let starts = [
        "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1",
        "6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1",
        "kq6/8/8/8/8/8/8/6QK w - - 61 1",
        "r3k2r/p6p/8/8/8/8/P6P/R3K2R b KQkq - 120 90",
        "4k3/8/8/8/3p4/8/2P1P3/4K3 w - - 17 1",
    ];
    let mut random = Random(14);
    let mut reasons = HashMap::new();
    for number in 0..1000 {
        let mut game = game_from(starts[number % starts.len()]);
        let mut times: HashMap<String, usize> = HashMap::new();
        for _ in 0..400 {
            let count = times.entry(game.board().to_epd()).or_default();
            *count += 1;
            let found = reason(&game);
            assert_eq!(found, naive_outcome(game.board(), *count), "{}", game.board());
            *reasons.entry(found).or_insert(0) += 1;
            let Some(mv) = random.shuffling_move(game.board()) else { break };
            game.play(mv).unwrap();
        }
    }
    assert_eq!(reasons.len(), 8, "some way to end never occurred: {reasons:?}");
}
