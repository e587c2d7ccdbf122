//! The order of hidden neurons in a net with dense layers: those that fire often first.
//!
//! The first dense layer skips groups of four activations that are all zero. Which neurons share a group
//! is free, so the rarely active ones are put together: what the net says does not change, only how many
//! groups it has to look at.

use tabiya_chess::Board;
use tabiya_nn::{
    Activation, PRODUCT_SHIFT, Parts, Placement, QA, Shape, View, active_features, threat_features,
};

/// The sums of the hidden neurons, as the kernels compute them; those of the side to move first.
pub(super) fn sums(shape: Shape, parts: &Parts, board: &Board) -> [Vec<i16>; 2] {
    let (hidden, side) = (shape.hidden(), board.side_to_move());
    [side, !side].map(|perspective| {
        let mut sums = parts.ft_bias.clone();
        for feature in active_features(shape, board, perspective) {
            let row = &parts.ft_weights[feature * hidden..][..hidden];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        if shape.sees_threats() {
            let view = View::new(shape, perspective, board.king(perspective));
            let mut threats = vec![0; hidden];
            for feature in threat_features(&Placement::from(board), view) {
                let row = &parts.threat_weights[feature as usize * hidden..][..hidden];
                for (sum, weight) in threats.iter_mut().zip(row) {
                    *sum += i16::from(*weight);
                }
            }
            for (sum, threats) in sums.iter_mut().zip(threats) {
                *sum = sum.saturating_add(threats);
            }
        }
        sums
    })
}

/// The activations of both sides in 8 bits, as the kernels compute them; the side to move's first.
pub(super) fn bytes(shape: Shape, parts: &Parts, board: &Board) -> Vec<u8> {
    let mut all = Vec::with_capacity(2 * shape.activations());
    for sums in sums(shape, parts, board) {
        let (a, b) = match shape.activation() {
            Activation::Squared => (&sums[..], &sums[..]),
            Activation::Pairwise => sums.split_at(sums.len() / 2),
        };
        let clamped = |x: &i16| i32::from(*x).clamp(0, QA);
        all.extend(
            a.iter().zip(b).map(|(a, b)| ((clamped(a) * clamped(b)) >> PRODUCT_SHIFT) as u8),
        );
    }
    all
}

/// Puts the activations that are most often not zero in these positions first. Returns which old
/// activation each new one is.
pub(super) fn sort(shape: Shape, parts: &mut Parts, boards: &[Board]) -> Vec<usize> {
    let per_side = shape.activations();
    let mut fired = vec![0_u32; per_side];
    for board in boards {
        for side in bytes(shape, parts, board).chunks_exact(per_side) {
            for (fired, byte) in fired.iter_mut().zip(side) {
                *fired += u32::from(*byte != 0);
            }
        }
    }
    let mut order: Vec<usize> = (0..per_side).collect();
    order.sort_by_key(|old| std::cmp::Reverse(fired[*old]));
    let hidden = shape.hidden();
    for row in parts.ft_weights.chunks_exact_mut(hidden).chain([&mut parts.ft_bias[..]]) {
        reorder(row, &order);
    }
    for row in parts.threat_weights.chunks_exact_mut(hidden) {
        reorder(row, &order);
    }
    order
}

/// Puts the numbers of a row into this order. With pairwise products, partners move together.
fn reorder<T: Copy>(row: &mut [T], order: &[usize]) {
    for half in row.chunks_exact_mut(order.len()) {
        let old = half.to_vec();
        for (number, from) in half.iter_mut().zip(order) {
            *number = old[*from];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::SplitMix;

    #[test]
    fn activations_change_places_and_nothing_else() {
        let mut random = SplitMix::new(6);
        let boards = [
            tabiya_chess::START_FEN,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
            "8/5k2/8/8/8/3K4/4P3/8 b - - 9 120",
        ]
        .map(|fen| fen.parse::<Board>().unwrap());
        for text in
            ["768x1-128p-16d-32s-1x8", "768x4-128s-16c-8c-1x8", "768x1+threats-128p-16d-32s-1x8"]
        {
            let shape: Shape = text.parse().unwrap();
            let mut parts = Parts::zeros(shape);
            for number in parts.ft_weights.iter_mut().chain(&mut parts.ft_bias) {
                *number = random.below(120) as i16 - 60;
            }
            for number in &mut parts.threat_weights {
                *number = random.below(40) as i8 - 20;
            }
            let before = boards.each_ref().map(|board| bytes(shape, &parts, board));
            let order = sort(shape, &mut parts, &boards);
            let mut fired = vec![0; shape.activations()];
            for (board, before) in boards.iter().zip(before) {
                let after = bytes(shape, &parts, board);
                let (before, after) =
                    (before.chunks(order.len()), after.chunks(order.len()).map(<[u8]>::to_vec));
                for (before, after) in before.zip(after) {
                    for (new, old) in order.iter().enumerate() {
                        assert_eq!(after[new], before[*old], "{text}");
                        fired[new] += i32::from(after[new] != 0);
                    }
                }
            }
            assert!(fired.is_sorted_by(|a, b| a >= b) && fired[0] > fired[order.len() - 1]);
        }
    }
}
