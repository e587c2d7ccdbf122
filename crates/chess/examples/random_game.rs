//! Plays a random game and prints it as PGN.

use std::time::{SystemTime, UNIX_EPOCH};
use tabiya_chess::pgn::PgnGame;
use tabiya_chess::{Game, IllegalMove};

fn main() -> Result<(), IllegalMove> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut random = clock.as_nanos() as u64 | 1;

    let mut game = Game::default();
    while game.outcome().is_none() {
        // Xorshift (Marsaglia 2003): a new number for every move.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let moves = game.board().legal_moves();
        if let Some(mv) = moves.get(random as usize % moves.len()) {
            game.play(mv)?;
        }
    }

    let mut pgn = PgnGame::from(&game);
    pgn.set_tag("White", "Random mover");
    pgn.set_tag("Black", "Random mover");
    if let Some(outcome) = game.outcome() {
        pgn.set_tag("Termination", outcome.reason.to_string());
    }
    print!("{pgn}");
    Ok(())
}
