//! From real numbers to few bits: half precision, ternary weights, 8-bit activations.
//!
//! After "The Era of 1-bit LLMs" (Ma et al., 2024): a matrix is `gamma * {-1, 0, +1}` with `gamma` the
//! mean magnitude of its latent weights, a token's activations are `step * i8` with the largest
//! magnitude at 127. Trainer and runtime call these same functions. All rounding is to the nearest,
//! ties to even.

/// The smallest scale of a matrix: the smallest normal half-precision number.
pub const SMALLEST_GAMMA: f32 = 1.0 / 16384.0;
/// Activations whose largest magnitude is below this count as silence.
pub const SMALLEST_MAGNITUDE: f32 = 1e-5;

/// The nearest half-precision number, as its bits. Too large numbers become infinite.
pub fn f16_bits(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65520 is half way between the largest half-precision number and the next one.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal: adding 0.5 leaves units of 2^-24 in the low bits, rounded by the processor.
        let shifted = f32::from_bits(magnitude) + 0.5;
        return sign | (shifted.to_bits() - 0x3f00_0000) as u16;
    }
    let odd = (magnitude >> 13) & 1;
    sign | ((magnitude - 0x3800_0000 + 0xfff + odd) >> 13) as u16
}

/// The number that these half-precision bits stand for.
pub fn f16_value(bits: u16) -> f32 {
    let sign = (bits as u32 & 0x8000) << 16;
    let magnitude = (bits as u32 & 0x7fff) << 13;
    if magnitude >= 0x0f80_0000 {
        return f32::from_bits(sign | 0x7f80_0000 | (magnitude & 0x007f_ffff));
    }
    // 2^112 moves the exponent to where single precision has it; subnormals come out right, too.
    let value = f32::from_bits(magnitude) * f32::from_bits(0x7780_0000);
    f32::from_bits(value.to_bits() | sign)
}

/// The nearest number that half precision can hold.
pub fn round_f16(x: f32) -> f32 {
    f16_value(f16_bits(x))
}

/// The scale of a matrix: the mean magnitude of its weights, as a half-precision number above zero.
pub fn absmean(weights: &[f32]) -> f32 {
    let sum: f64 = weights.iter().map(|w| w.abs() as f64).sum();
    let mean = sum / weights.len().max(1) as f64;
    round_f16((mean as f32).clamp(SMALLEST_GAMMA, 60_000.0))
}

/// The ternary weight that stands for a latent one.
pub fn ternary(weight: f32, gamma: f32) -> i8 {
    (weight / gamma).round_ties_even().clamp(-1.0, 1.0) as i8
}

/// Writes the activations of one token as 8-bit numbers and returns the step between two of them.
///
/// An activation is about its number times the step. -128 does not occur.
pub fn quantise(activations: &[f32], out: &mut [i8]) -> f32 {
    assert_eq!(activations.len(), out.len(), "one number for each activation");
    let largest = activations.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
    let largest = largest.max(SMALLEST_MAGNITUDE);
    let scale = 127.0 / largest;
    for (out, x) in out.iter_mut().zip(activations) {
        *out = (x * scale).round_ties_even().clamp(-127.0, 127.0) as i8;
    }
    largest / 127.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_survives_the_way_there_and_back() {
        for bits in 0..=u16::MAX {
            let value = f16_value(bits);
            if value.is_nan() {
                assert!(f16_value(f16_bits(value)).is_nan());
            } else {
                assert_eq!(f16_bits(value), bits, "{value}");
            }
        }
        for (value, bits) in [(1.0, 0x3c00), (-2.0, 0xc000), (65504.0, 0x7bff), (0.1, 0x2e66)] {
            assert_eq!(f16_bits(value), bits);
        }
        assert_eq!(f16_value(1), 2.0_f32.powi(-24));
        assert_eq!(f16_value(0x7c00), f32::INFINITY);
    }

    #[test]
    fn half_precision_rounds_to_the_nearest_and_ties_to_even() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (f16_value(bits), f16_value(bits + 1));
            let middle = f32::midpoint(low, high);
            let even = if bits % 2 == 0 { bits } else { bits + 1 };
            assert_eq!(f16_bits(middle), even);
            assert_eq!(f16_bits(middle.next_down()), bits);
            assert_eq!(f16_bits(middle.next_up()), bits + 1);
        }
        assert_eq!(f16_bits(65519.996), 0x7bff);
        assert_eq!(f16_bits(65520.0), 0x7c00);
    }

    #[test]
    fn weights_are_ternary_around_their_mean_magnitude() {
        let weights = [0.5, -0.25, 0.125, -1.0, 0.0, 0.625];
        let gamma = absmean(&weights);
        assert_eq!(gamma, round_f16(2.5 / 6.0));
        let codes = weights.map(|w| ternary(w, gamma));
        assert_eq!(codes, [1, -1, 0, -1, 0, 1]);
        // Exactly half a step is a tie, and goes to the even zero.
        assert_eq!(ternary(0.5, 1.0), 0);
        assert_eq!(ternary(-1.5, 1.0), -1);
        assert_eq!(absmean(&[0.0; 4]), SMALLEST_GAMMA);
        assert!(absmean(&[]) > 0.0);
    }

    #[test]
    fn activations_span_the_whole_range_and_never_reach_below_it() {
        let x = [0.5, -2.0, 1.0, 0.0, 2.0 * 0.5 / 127.0];
        let mut out = [0; 5];
        let step = quantise(&x, &mut out);
        // 31.75 rounds up, 63.5 and 0.5 are ties.
        assert_eq!(out, [32, -127, 64, 0, 0]);
        assert_eq!(step, 2.0 / 127.0);
        let step = quantise(&[0.0; 5], &mut out);
        assert_eq!((out, step), ([0; 5], SMALLEST_MAGNITUDE / 127.0));
        quantise(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0, -1.0], &mut out);
        assert!(out.iter().all(|x| (-127..=127).contains(x)));
    }
}
