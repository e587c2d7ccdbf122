//! Products of row-major matrices, and the sums over rows that other layers need.
//!
//! The three products of a linear layer `y = x W^T`: forward, and the gradients by input and weight.
//! One thread each: the trainer is parallel over parts of a batch.

use gemm_common::Parallelism;

/// A matrix in memory: its numbers and the steps from column to column and from row to row.
type Strided<'a> = (&'a [f32], usize, usize);

/// `y[m][n] = x[m][k] w[n][k]^T`.
pub(crate) fn forward(x: &[f32], w: &[f32], y: &mut [f32], (n, k): (usize, usize)) {
    let m = y.len() / n;
    multiply((m, n, k), y, (x, 1, k), (w, k, 1), false);
}

/// `dx[m][k] = dy[m][n] w[n][k]`.
pub(crate) fn by_input(dy: &[f32], w: &[f32], dx: &mut [f32], (n, k): (usize, usize)) {
    let m = dx.len() / k;
    multiply((m, k, n), dx, (dy, 1, n), (w, 1, k), false);
}

/// `dw[n][k] += dy[m][n]^T x[m][k]`.
pub(crate) fn by_weight(dy: &[f32], x: &[f32], dw: &mut [f32], (n, k): (usize, usize)) {
    let m = dy.len() / n;
    multiply((n, k, m), dw, (dy, n, 1), (x, 1, k), true);
}

/// `c[m][n] = a[m][k] b[k][n]`, or `+=`.
#[expect(unsafe_code, reason = "the crate takes pointers and strides")]
fn multiply(
    (m, n, k): (usize, usize, usize),
    c: &mut [f32],
    (a, a_column, a_row): Strided,
    (b, b_column, b_row): Strided,
    add: bool,
) {
    assert!(c.len() == m * n && a.len() == m * k && b.len() == k * n, "{m} x {n} x {k}");
    // The kernels want the numbers of a column next to each other: the transposed product.
    let transposed_product = gemm_f32::gemm::f32::get_gemm_fn();
    // SAFETY: the assertion holds each matrix to the size that its dimensions span; strides are
    // those of dense matrices of these dimensions, so every access is inside. `c` is borrowed
    // mutably, hence apart from `a` and `b`.
    unsafe {
        transposed_product(
            n,
            m,
            k,
            c.as_mut_ptr(),
            n as isize,
            1,
            add,
            b.as_ptr(),
            b_row as isize,
            b_column as isize,
            a.as_ptr(),
            a_row as isize,
            a_column as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// Sums kept apart, so that the compiler can use whole vectors.
const LANES: usize = 16;

/// The scalar product.
#[inline]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0] + rest
}

/// `y += factor * x`.
#[inline]
pub(crate) fn add_scaled(y: &mut [f32], factor: f32, x: &[f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_gradient, random};
    use super::*;

    const SHAPE: (usize, usize) = (24, 40);
    const ROWS: usize = 7;

    #[test]
    fn products_agree_with_plain_loops() {
        let (n, k) = SHAPE;
        let (x, w) = (random(ROWS * k, 1), random(n * k, 2));
        let mut y = vec![0.0; ROWS * n];
        forward(&x, &w, &mut y, SHAPE);
        for (row, x) in y.chunks(n).zip(x.chunks(k)) {
            for (y, w) in row.iter().zip(w.chunks(k)) {
                let plain: f32 = x.iter().zip(w).map(|(x, w)| x * w).sum();
                assert!((y - plain).abs() < 1e-4 && (y - dot(x, w)).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn gradients_agree_with_differences() {
        let (n, k) = SHAPE;
        let (x, w, dy) = (random(ROWS * k, 1), random(n * k, 2), random(ROWS * n, 3));
        let loss = |x: &[f32], w: &[f32]| {
            let mut y = vec![0.0; ROWS * n];
            forward(x, w, &mut y, SHAPE);
            y.iter().zip(&dy).map(|(y, dy)| f64::from(y * dy)).sum::<f64>()
        };
        let mut dx = vec![0.0; x.len()];
        by_input(&dy, &w, &mut dx, SHAPE);
        check_gradient(&x, &dx, |x| loss(x, &w));
        // What was there before stays.
        let mut dw = vec![1.0; w.len()];
        by_weight(&dy, &x, &mut dw, SHAPE);
        for dw in &mut dw {
            *dw -= 1.0;
        }
        check_gradient(&w, &dw, |w| loss(&x, w));
    }
}
