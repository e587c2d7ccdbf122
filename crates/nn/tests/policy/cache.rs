//! A session that remembers equals one that does not, bit for bit.

use crate::games::{Random, line, line_from, net, original, shapes, small};
use tabiya_chess::Board;
use tabiya_nn::policy::{Session, Token};
use tabiya_nn::simd::ternary::Kernels;

/// Follows a line with and without a past and compares.
fn check(remembering: &mut Session, tokens: &[Token]) {
    remembering.follow(tokens);
    let mut fresh = Session::new(remembering.net().clone());
    fresh.follow(tokens);
    let bits =
        |session: &Session| -> Vec<u32> { session.hidden().iter().map(|x| x.to_bits()).collect() };
    assert_eq!(bits(remembering), bits(&fresh), "{} plies", tokens.len());
}

#[test]
fn growing_games_cost_one_token_a_ply() {
    for config in shapes() {
        let mut session = Session::new(net(&config, 1, Kernels::best()));
        let tokens = line(&mut Random(2), &config, 20);
        for plies in 1..=tokens.len() {
            check(&mut session, &tokens[..plies]);
        }
        assert_eq!(session.computed(), 20);
    }
}

#[test]
fn long_games_with_take_backs_and_branches() {
    for config in [small(), original()] {
        let random = &mut Random(3);
        let mut session = Session::new(net(&config, 2, Kernels::best()));
        let lines = [(); 3].map(|()| line(random, &config, 200));
        let mut current = lines[0].clone();
        let mut plies = 1;
        for _ in 0..60 {
            match random.below(6) {
                // The same request again, one ply, the two plies of a move, and many.
                0 => {}
                1 => plies = (plies + 1).min(current.len()),
                2 => plies = (plies + 2).min(current.len()),
                3 => plies = (plies + random.below(40)).min(current.len()),
                4 => plies = 1 + random.below(plies),
                _ => {
                    // Another game from here on.
                    let other = &lines[random.below(3)];
                    current.truncate(plies);
                    current.extend(&other[plies.min(other.len())..]);
                }
            }
            check(&mut session, &current[..plies.min(current.len())]);
        }
    }
}

#[test]
fn games_beyond_the_window_and_beyond_the_positions() {
    for config in [small(), original()] {
        let tokens = line(&mut Random(4), &config, 100);
        let mut session = Session::new(net(&config, 3, Kernels::best()));
        for plies in (1..=tokens.len()).step_by(3) {
            check(&mut session, &tokens[..plies]);
        }
        // Positions run out every twelve plies, and only then the rest is computed anew.
        let limit = if config.context > 0 { 300 } else { 100 };
        assert!(session.computed() <= limit, "{}", session.computed());
    }
}

#[test]
fn repeating_a_request_computes_nothing() {
    let config = small();
    let mut session = Session::new(net(&config, 4, Kernels::best()));
    let tokens = line(&mut Random(5), &config, 12);
    session.follow(&tokens);
    session.follow(&tokens);
    session.follow(&tokens[..5]);
    assert_eq!(session.computed(), 12);
    session.clear();
    session.follow(&tokens);
    assert_eq!(session.computed(), 24);
}

#[test]
fn the_same_moves_from_another_start_are_another_game() {
    let config = small();
    let random = &mut Random(6);
    let mut session = Session::new(net(&config, 5, Kernels::best()));
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
        "1nbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBN1 w - - 0 1",
    ];
    for fen in fens {
        let board: Board = fen.parse().unwrap();
        let tokens = line_from(random, &config, &board, 8);
        let before = session.computed();
        check(&mut session, &tokens);
        assert_eq!(session.computed() - before, tokens.len() as u64, "{fen}");
    }
}
