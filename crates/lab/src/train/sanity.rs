//! Looking after a run: settings that fit the size of the set, what is too small to teach anything, and
//! whether the net has learnt what pieces are worth.

use std::sync::Arc;
use tabiya_chess::{Board, Color, PieceType, Setup};
use tabiya_nn::{Accumulators, Network};

/// With the largest batch: what the default nets were trained with (docs/NETS.md).
const LARGEST_BATCH: usize = 16384;
const LARGEST_RATE: f32 = 3e-3;
/// Below this a run gains nothing from a smaller rate.
const SMALLEST_RATE: f32 = 1e-3;
const SMALLEST_BATCH: usize = 64;
/// A run of fewer steps than this leaves the net near its random beginning.
const ENOUGH_STEPS: u64 = 2000;
/// Nets play sensibly from about this many positions on.
const ENOUGH_POSITIONS: usize = 1_000_000;
/// Below this the validation loss is a matter of luck.
const ENOUGH_VALIDATION: usize = 5000;

/// The largest batch with which a run still has enough steps.
pub fn batch_for(positions: usize, epochs: u64) -> usize {
    let most = (positions as u64).saturating_mul(epochs) / ENOUGH_STEPS;
    let most = usize::try_from(most).unwrap_or(LARGEST_BATCH);
    let most = most.clamp(SMALLEST_BATCH, LARGEST_BATCH);
    1 << most.ilog2()
}

/// The highest learning rate for batches of this size: it grows with the root of the batch.
pub fn rate_for(batch: usize) -> f32 {
    let share = batch as f32 / LARGEST_BATCH as f32;
    (LARGEST_RATE * share.sqrt()).clamp(SMALLEST_RATE, LARGEST_RATE)
}

/// What to expect of a run with so little to learn from, if it is little.
pub fn warnings(training: usize, validation: usize, steps: u64) -> Vec<String> {
    let mut texts = Vec::new();
    if training < ENOUGH_POSITIONS {
        texts.push(format!(
            "{training} positions are few: expect a weak net (good ones learn from millions)"
        ));
    }
    if validation < ENOUGH_VALIDATION {
        texts.push(format!(
            "{validation} validation positions are few: the loss says little below {ENOUGH_VALIDATION}"
        ));
    }
    if steps < ENOUGH_STEPS {
        texts.push(format!(
            "{steps} steps are few: a smaller --batch or more --epochs would teach more"
        ));
    }
    texts
}

/// Positions with all pieces on both sides and little under attack, White to move.
const FULL_POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
    "r1bqkb1r/ppp1pppp/2n2n2/3p4/3P4/2N2N2/PPP1PPPP/R1BQKB1R w - - 4 4",
    "r2q1rk1/1ppbbppp/p1np1n2/4p3/4P3/P1NP1N2/1PPBBPPP/R2Q1RK1 w - - 0 9",
];

/// A piece and the least its loss must cost in the net's units, of which 400 are a logit of 1. The
/// weakest net that beats a blind one says twice as much.
const LEAST_COST: [(PieceType, i32); 4] = [
    (PieceType::Queen, 100),
    (PieceType::Rook, 60),
    (PieceType::Bishop, 40),
    (PieceType::Knight, 40),
];

/// Pieces that can be missing.
const LOSABLE: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// What the loss of a piece costs in a full position, in the net's units: what it believes they are
/// worth.
pub fn piece_values(net: &Network) -> [(PieceType, i32); 5] {
    let mut accumulators = Accumulators::new(&Arc::new(net.clone()));
    let mut value = |board: &Board| {
        accumulators.reset(board);
        accumulators.evaluate(board)
    };
    LOSABLE.map(|kind| {
        let pairs = FULL_POSITIONS.iter().filter_map(|fen| with_and_without(fen, kind));
        let costs: Vec<i32> = pairs.map(|(whole, poorer)| value(&whole) - value(&poorer)).collect();
        (kind, costs.iter().sum::<i32>() / costs.len().max(1) as i32)
    })
}

/// What is wrong with a net's idea of material; empty if it is sane.
pub fn material_faults(net: &Network) -> Vec<String> {
    let values = piece_values(net);
    let mut faults = Vec::new();
    for (kind, least) in LEAST_COST {
        let Some((_, mean)) = values.iter().find(|(known, _)| *known == kind) else { continue };
        if *mean < least {
            faults.push(format!(
                "a missing {kind} costs {mean} of the net's units, not {least} or more"
            ));
        }
    }
    faults
}

/// A position, and the same without one of White's pieces.
fn with_and_without(fen: &str, kind: PieceType) -> Option<(Board, Board)> {
    let mut setup = Setup::from_fen(fen).ok()?;
    let whole = setup.to_board(false).ok()?;
    let square = whole.pieces(Color::White, kind).into_iter().next()?;
    setup.pieces[square.index()] = None;
    Some((whole, setup.to_board(false).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_nn::{Parts, Shape};

    #[test]
    fn settings_follow_the_size_of_the_set() {
        assert_eq!(batch_for(54_972, 20), 512);
        assert_eq!(batch_for(23_000_000, 8), 16384);
        assert_eq!(batch_for(100, 1), 64);
        assert_eq!(batch_for(usize::MAX, u64::MAX), 16384);
        assert_eq!((rate_for(16384), rate_for(512)), (3e-3, 1e-3));
        assert!(warnings(23_000_000, 200_000, 10_000).is_empty());
        let told = warnings(54_972, 500, 15).join("; ");
        for part in ["54972 positions", "500 validation positions", "15 steps"] {
            assert!(told.contains(part), "{told}");
        }
    }

    #[test]
    fn a_net_that_knows_material_is_sane_and_a_blind_one_is_not() {
        let shape = Shape::new(128, 1, 1).unwrap();
        let material = Network::material(shape);
        assert_eq!(material_faults(&material), Vec::<String>::new());
        let mut parts: Parts = material.to_parts();
        parts.head = Parts::zeros(shape).head;
        let blind = Network::from_parts(shape, &parts, "").unwrap();
        let faults = material_faults(&blind);
        assert_eq!(faults.len(), LEAST_COST.len(), "{faults:?}");
        assert!(faults[0].starts_with("a missing queen costs 0 "), "{faults:?}");
    }
}
