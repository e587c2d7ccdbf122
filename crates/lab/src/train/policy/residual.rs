//! `LayerScale` and the residual stream: `y = x + scale * branch`.

/// The stream after a branch.
pub(crate) fn forward(x: &[f32], scale: &[f32], branch: &[f32], y: &mut [f32]) {
    let width = scale.len();
    let rows = x.chunks_exact(width).zip(branch.chunks_exact(width));
    for ((x, branch), y) in rows.zip(y.chunks_exact_mut(width)) {
        for ((y, x), (scale, branch)) in y.iter_mut().zip(x).zip(scale.iter().zip(branch)) {
            *y = x + scale * branch;
        }
    }
}

/// The gradient by the branch; adds that by the scale. The gradient by `x` is `dy` itself.
pub(crate) fn backward(
    scale: &[f32],
    branch: &[f32],
    dy: &[f32],
    dbranch: &mut [f32],
    dscale: &mut [f32],
) {
    let width = scale.len();
    let rows = branch.chunks_exact(width).zip(dbranch.chunks_exact_mut(width));
    for ((branch, dbranch), dy) in rows.zip(dy.chunks_exact(width)) {
        for ((dbranch, dy), scale) in dbranch.iter_mut().zip(dy).zip(scale) {
            *dbranch = dy * scale;
        }
        for ((dscale, dy), branch) in dscale.iter_mut().zip(dy).zip(branch) {
            *dscale += dy * branch;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_gradient, random};
    use super::*;

    #[test]
    fn gradients_agree_with_differences() {
        const WIDTH: usize = 16;
        let (x, scale, branch) = (random(48, 1), random(WIDTH, 2), random(48, 3));
        let dy = random(48, 4);
        let loss = |scale: &[f32], branch: &[f32]| {
            let mut y = vec![0.0; 48];
            forward(&x, scale, branch, &mut y);
            y.iter().zip(&dy).map(|(y, s)| f64::from(y * s)).sum::<f64>()
        };
        let (mut dbranch, mut dscale) = (vec![0.0; 48], vec![0.0; WIDTH]);
        backward(&scale, &branch, &dy, &mut dbranch, &mut dscale);
        check_gradient(&branch, &dbranch, |branch| loss(&scale, branch));
        check_gradient(&scale, &dscale, |scale| loss(scale, &branch));
    }
}
