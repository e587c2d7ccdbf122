//! Every ternary kernel equals a naive loop, bit for bit.

use tabiya_nn::simd::ternary::{ByteLine, COLUMNS, CodeLine, FloatLine, Kernels, MaskLine};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }
}

fn pack<L>(numbers: &[i8], line: fn(&[i8; COLUMNS]) -> L) -> Vec<L> {
    numbers.as_chunks().0.iter().map(line).collect()
}

fn bytes(x: &[i8]) -> Vec<ByteLine> {
    x.as_chunks().0.iter().map(|chunk| ByteLine(*chunk)).collect()
}

/// What the integer kernels must give.
fn naive(weights: &[i8], x: &[i8], cols: usize) -> Vec<i32> {
    let row = |x: &[i8], w: &[i8]| x.iter().zip(w).map(|(x, w)| *x as i32 * *w as i32).sum();
    let rows = |x| weights.chunks(cols).map(move |w| row(x, w));
    x.chunks(cols).flat_map(rows).collect()
}

fn check_integers(weights: &[i8], x: &[i8], cols: usize) {
    let expected = naive(weights, x, cols);
    let (codes, lines) = (pack(weights, CodeLine::pack), bytes(x));
    for kernels in Kernels::available() {
        let mut out = vec![0; expected.len()];
        kernels.integers(&codes, &lines, x.len() / cols, &mut out);
        assert_eq!(out, expected, "{kernels:?} {cols} columns");
    }
}

#[test]
fn integer_sums_equal_a_naive_loop() {
    let random = &mut Random(1);
    for cols in [256, 512, 768, 1024, 1536, 4096] {
        for (rows, tokens) in [(4, 1), (8, 3), (64, 4), (12, 5), (20, 9), (8, 16)] {
            let weights: Vec<i8> =
                (0..rows * cols).map(|_| (random.next() % 3) as i8 - 1).collect();
            let x: Vec<i8> =
                (0..tokens * cols).map(|_| (random.next() % 255) as u8 as i8).collect();
            let x: Vec<i8> = x.into_iter().map(|x| x.max(-127)).collect();
            check_integers(&weights, &x, cols);
        }
    }
}

#[test]
fn extreme_rows_do_not_overflow() {
    for cols in [256, 1536, 4096] {
        let weights: Vec<i8> = [1_i8, -1, 0, 1].into_iter().flat_map(|w| vec![w; cols]).collect();
        for x in [127, -127, 0] {
            for tokens in [1, 4] {
                check_integers(&weights, &vec![x; tokens * cols], cols);
            }
        }
    }
}

#[test]
fn packings_lose_nothing() {
    let random = &mut Random(2);
    for _ in 0..1000 {
        let weights: [i8; COLUMNS] = std::array::from_fn(|_| (random.next() % 3) as i8 - 1);
        assert_eq!(CodeLine::pack(&weights).unpack(), weights);
        assert_eq!(MaskLine::pack(&weights).unpack(), weights);
    }
}

/// The order of the float sums, written down once more.
fn lanes_and_tree(weights: &[i8], x: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 16];
    for (w, x) in weights.chunks(16).zip(x.chunks(16)) {
        for l in 0..16 {
            lanes[l] += w[l] as f32 * x[l];
        }
    }
    for width in [8, 4, 2, 1] {
        for l in 0..width {
            lanes[l] += lanes[l + width];
        }
    }
    lanes[0]
}

#[test]
fn float_sums_are_equal_to_the_last_bit() {
    let random = &mut Random(3);
    for cols in [256, 512, 1536] {
        let (rows, tokens) = (12, 3);
        let weights: Vec<i8> = (0..rows * cols).map(|_| (random.next() % 3) as i8 - 1).collect();
        let mut number = || {
            let size = [1e-20_f32, 1e-3, 1.0, 1e3][random.next() as usize % 4];
            size * (random.next() as f32 / 1e9 - 1.0)
        };
        let x: Vec<f32> = (0..tokens * cols).map(|_| number()).collect();
        let lines: Vec<_> = x.as_chunks().0.iter().map(|chunk| FloatLine(*chunk)).collect();
        let masks = pack(&weights, MaskLine::pack);
        let expected: Vec<u32> = x
            .chunks(cols)
            .flat_map(|x| weights.chunks(cols).map(|w| lanes_and_tree(w, x).to_bits()))
            .collect();
        for kernels in Kernels::available() {
            let mut out = vec![0.0; rows * tokens];
            kernels.floats(&masks, &lines, tokens, &mut out);
            let out: Vec<u32> = out.into_iter().map(f32::to_bits).collect();
            assert_eq!(out, expected, "{kernels:?} {cols} columns");
        }
    }
}

#[test]
fn scalar_comes_last_and_the_best_first() {
    let names: Vec<_> = Kernels::available().map(Kernels::name).collect();
    assert_eq!((names[0], names.last()), (Kernels::best().name(), Some(&"scalar")));
}

#[test]
#[should_panic(expected = "whole rows")]
fn a_matrix_of_another_size_panics() {
    let codes = vec![CodeLine([0; 64]); 7];
    Kernels::best().integers(&codes, &bytes(&[0; 256]), 1, &mut [0; 8]);
}
