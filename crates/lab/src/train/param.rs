//! Trained numbers: f32 values with their gradients and the optimiser's moments, in rows of 32 lanes.

use crate::work::SplitMix;
use wide::f32x8;

/// Numbers in a row.
pub(crate) const LANES: usize = 32;

/// `a * b + c`, rounded once where the machine that the program is built for can do so: elsewhere that
/// would be a slow call. Builds of both kinds give nets that differ in the last bits.
#[inline]
pub(crate) fn fused(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

/// 32 numbers: one for each neuron of a tile, or for each neuron of a small layer.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(align(64))]
pub(crate) struct Row(pub(crate) [f32; LANES]);

impl Row {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);

    #[inline]
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, number) in self.0.iter_mut().zip(&other.0) {
            *sum += number;
        }
    }

    /// The numbers as vectors, for loops whose sums must stay in registers.
    #[inline]
    pub(crate) fn vectors(&self) -> [f32x8; LANES / 8] {
        let (parts, _) = self.0.as_chunks::<8>();
        std::array::from_fn(|index| f32x8::new(parts[index]))
    }

    #[inline]
    pub(crate) fn from_vectors(vectors: [f32x8; LANES / 8]) -> Self {
        let mut row = Self::ZERO;
        let (parts, _) = row.0.as_chunks_mut::<8>();
        for (part, vector) in parts.iter_mut().zip(vectors) {
            *part = vector.to_array();
        }
        row
    }

    /// Adds `factor * other`.
    #[inline]
    pub(crate) fn add_scaled(&mut self, factor: f32, other: &Self) {
        for (sum, number) in self.0.iter_mut().zip(&other.0) {
            *sum = fused(factor, *number, *sum);
        }
    }

    /// The product lane by lane, summed.
    #[inline]
    pub(crate) fn dot(&self, other: &Self) -> f32 {
        let mut products = *self;
        for (product, number) in products.0.iter_mut().zip(&other.0) {
            *product *= number;
        }
        products.sum()
    }

    /// The sum of all lanes, in a fixed order.
    #[inline]
    pub(crate) fn sum(&self) -> f32 {
        let mut lanes = self.0;
        let mut width = LANES / 2;
        while width > 0 {
            let (low, high) = lanes.split_at_mut(width);
            for (sum, number) in low.iter_mut().zip(high) {
                *sum += *number;
            }
            width /= 2;
        }
        lanes[0]
    }
}

/// Weights with everything the optimiser needs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Param {
    pub(crate) value: Vec<Row>,
    pub(crate) gradient: Vec<Row>,
    /// Running mean of the gradient.
    pub(crate) mean: Vec<Row>,
    /// Running mean of the squared gradient.
    pub(crate) square: Vec<Row>,
    /// No value is further from zero.
    pub(crate) clip: f32,
    /// Whether most rows have no gradient in a step. The optimiser leaves these alone.
    pub(crate) is_sparse: bool,
}

impl Param {
    pub(crate) fn zeros(rows: usize, clip: f32) -> Self {
        let zeros = || vec![Row::ZERO; rows];
        let (value, gradient, mean, square) = (zeros(), zeros(), zeros(), zeros());
        Self { value, gradient, mean, square, clip, is_sparse: false }
    }

    /// The same for features that are rare.
    pub(crate) fn sparse(rows: usize, clip: f32) -> Self {
        Self { is_sparse: true, ..Self::zeros(rows, clip) }
    }

    /// Normally distributed values in the first `lanes` of each row.
    pub(crate) fn randomise(&mut self, random: &mut SplitMix, deviation: f32, lanes: usize) {
        for number in self.value.iter_mut().flat_map(|row| &mut row.0[..lanes]) {
            *number = random.normal() as f32 * deviation;
        }
    }

    /// The same value in the first `lanes` of each row.
    pub(crate) fn fill(&mut self, value: f32, lanes: usize) {
        for row in &mut self.value {
            row.0[..lanes].fill(value);
        }
    }
}
