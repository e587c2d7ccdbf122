//! The sum of embedding rows of a token.

use super::matrix::add_scaled;
use tabiya_nn::policy::Token;

/// The tables, or their gradients.
pub(crate) struct Tables<T> {
    pub(crate) piece: T,
    pub(crate) state: T,
    pub(crate) last_move: T,
}

/// The sums, `width` numbers a token. The order of the rows is that of the runtime.
pub(crate) fn forward(tables: &Tables<&[f32]>, tokens: &[Token], y: &mut [f32], width: usize) {
    for (token, y) in tokens.iter().zip(y.chunks_exact_mut(width)) {
        y.fill(0.0);
        for row in token.pieces() {
            add_scaled(y, 1.0, &tables.piece[*row as usize * width..][..width]);
        }
        for row in token.states() {
            add_scaled(y, 1.0, &tables.state[*row as usize * width..][..width]);
        }
        add_scaled(y, 1.0, &tables.last_move[token.last_move() as usize * width..][..width]);
    }
}

/// Adds the gradients of the rows in use.
pub(crate) fn backward(
    gradients: &mut Tables<&mut [f32]>,
    tokens: &[Token],
    dy: &[f32],
    width: usize,
) {
    for (token, dy) in tokens.iter().zip(dy.chunks_exact(width)) {
        for row in token.pieces() {
            add_scaled(&mut gradients.piece[*row as usize * width..][..width], 1.0, dy);
        }
        for row in token.states() {
            add_scaled(&mut gradients.state[*row as usize * width..][..width], 1.0, dy);
        }
        let row = token.last_move() as usize * width;
        add_scaled(&mut gradients.last_move[row..][..width], 1.0, dy);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_gradient, random};
    use super::*;

    #[test]
    fn gradients_agree_with_differences() {
        const WIDTH: usize = 8;
        let tokens = [Token::new(&[1, 3, 4], &[0, 2], 1), Token::new(&[3, 0], &[2], 0)];
        let (piece, state, last_move) = (random(5 * WIDTH, 1), random(3 * WIDTH, 2), random(16, 3));
        let dy = random(2 * WIDTH, 4);
        let loss = |piece: &[f32], state: &[f32], last_move: &[f32]| {
            let mut y = vec![0.0; 2 * WIDTH];
            forward(&Tables { piece, state, last_move }, &tokens, &mut y, WIDTH);
            y.iter().zip(&dy).map(|(y, s)| f64::from(y * s)).sum::<f64>()
        };
        let (mut dpiece, mut dstate) = (vec![0.0; 5 * WIDTH], vec![0.0; 3 * WIDTH]);
        let mut dlast = vec![0.0; 2 * WIDTH];
        let mut gradients =
            Tables { piece: &mut dpiece[..], state: &mut dstate[..], last_move: &mut dlast[..] };
        backward(&mut gradients, &tokens, &dy, WIDTH);
        check_gradient(&piece, &dpiece, |piece| loss(piece, &state, &last_move));
        check_gradient(&state, &dstate, |state| loss(&piece, state, &last_move));
        check_gradient(&last_move, &dlast, |last_move| loss(&piece, &state, last_move));
    }
}
