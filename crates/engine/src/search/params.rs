//! Every tunable of the search: one line each with default, range and step.
//!
//! Words in the names: *base* is a constant part, *margin* a distance between values, *scale* a
//! factor in 1/1024 unless said otherwise, *divisor* what a quantity is divided by, *limit* the
//! largest depth or value at which a rule applies, *max* a cap. Reductions (`lmr_…`) are in 1/1024
//! plies. A technique is switched off by a value at the end of its range (a limit of 0 or below, a depth
//! of 99, a margin of 99999, a switch at 0), so that its worth can be measured. In a normal build each
//! tunable is a constant; with the `tune` feature it is a field that a `setoption` or the SPSA tuner
//! can set.

/// What is known about a tunable.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// Its name.
    pub name: &'static str,
    /// The value in normal builds.
    pub default: i32,
    /// The smallest sensible value.
    pub min: i32,
    /// The largest sensible value.
    pub max: i32,
    /// A change large enough to be felt: the tuner's first step.
    pub step: i32,
}

macro_rules! params {
    ($($name:ident: $default:literal, $min:literal..=$max:literal, step $step:literal;)+) => {
        /// The values of all tunables.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Params {
            $(#[cfg(feature = "tune")] $name: i32,)+
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $(#[cfg(feature = "tune")] $name: $default,)+ }
            }
        }

        impl Params {
            /// All tunables in order.
            pub const ALL: &[ParamSpec] = &[$(ParamSpec {
                name: stringify!($name), default: $default, min: $min, max: $max, step: $step,
            }),+];

            /// Sets a tunable by name. `false` if there is none, the value is out of range or this
            /// build has its tunables fixed.
            pub fn set(&mut self, name: &str, value: i32) -> bool {
                #[cfg(feature = "tune")]
                match name {
                    $(stringify!($name) if ($min..=$max).contains(&value) => {
                        self.$name = value;
                        return true;
                    })+
                    _ => {}
                }
                let _ = (name, value);
                false
            }

            $(
                #[cfg(feature = "tune")]
                #[inline]
                pub(crate) fn $name(&self) -> i32 { self.$name }
                #[cfg(not(feature = "tune"))]
                #[inline]
                pub(crate) const fn $name(&self) -> i32 { $default }
            )+
        }
    };
}

params! {
    aspiration_base: 23, 4..=60, step 3;
    aspiration_depth: 4, 2..=99, step 1;
    aspiration_growth: 512, 128..=2048, step 96;

    razor_base: 230, 50..=99999, step 30;
    razor_scale: 260, 50..=800, step 30;

    rfp_limit: 9, 0..=16, step 1;
    rfp_margin: 72, 20..=200, step 8;
    rfp_improving: 57, 0..=200, step 8;

    nmp_depth: 3, 1..=99, step 1;
    nmp_base: 4, 1..=8, step 1;
    nmp_depth_divisor: 3, 2..=8, step 1;
    nmp_eval_divisor: 200, 60..=500, step 16;
    nmp_eval_max: 4, 0..=8, step 1;
    nmp_margin: -10, -150..=200, step 12;
    nmp_verify_depth: 14, 6..=99, step 1;

    iir_depth: 5, 2..=99, step 1;

    probcut_depth: 5, 3..=99, step 1;
    probcut_margin: 180, 60..=500, step 16;
    probcut_improving: 80, 0..=200, step 10;

    singular_depth: 5, 4..=99, step 1;
    singular_margin: 58, 10..=200, step 6;
    double_margin: 21, 0..=100, step 4;
    triple_margin: 100, 30..=400, step 12;
    double_max: 12, 0..=40, step 2;

    lmp_limit: 10, 0..=16, step 1;
    lmp_base: 3, 1..=10, step 1;
    futility_limit: 9, -1..=16, step 1;
    futility_base: 110, 0..=300, step 12;
    futility_scale: 90, 20..=250, step 8;
    noisy_futility_limit: 5, -1..=16, step 1;
    noisy_futility_base: 120, 0..=500, step 16;
    noisy_futility_scale: 120, 20..=400, step 12;
    see_pruning: 1, 0..=1, step 1;
    see_quiet_scale: 24, 4..=80, step 3;
    see_noisy_scale: 92, 20..=250, step 8;
    history_prune_limit: 5, 0..=12, step 1;
    history_prune_scale: 5420, 500..=12000, step 300;

    lmr_depth: 2, 2..=99, step 1;
    lmr_base: 900, 0..=2048, step 60;
    lmr_divisor: 2520, 1200..=5000, step 96;
    lmr_noisy_base: 260, -512..=1024, step 60;
    lmr_noisy_divisor: 3140, 1200..=8000, step 128;
    lmr_pv: 1040, 0..=2500, step 90;
    lmr_tt_pv: 800, 0..=2500, step 90;
    lmr_cut: 1500, 0..=3500, step 110;
    lmr_cut_no_hash: 700, 0..=3500, step 100;
    lmr_improving: 990, 0..=2500, step 80;
    lmr_check: 1000, 0..=2500, step 90;
    lmr_tt_noisy: 900, 0..=2500, step 90;
    lmr_killer: 520, 0..=2500, step 80;
    lmr_cutoffs: 1120, 0..=2500, step 90;
    lmr_corr: 5, 0..=40, step 2;
    lmr_history: 95, 10..=400, step 10;
    lmr_deeper_base: 51, 0..=150, step 6;
    lmr_deeper_scale: 3, 0..=20, step 1;

    history_bonus_scale: 270, 40..=800, step 24;
    history_bonus_base: 60, -200..=600, step 30;
    history_bonus_max: 2270, 400..=6000, step 150;
    history_malus_scale: 320, 40..=800, step 24;
    history_malus_base: 60, -200..=600, step 30;
    history_malus_max: 1500, 400..=6000, step 150;
    history_eval_scale: 9, 0..=60, step 2;
    history_eval_max: 1500, 0..=4000, step 100;
    history_previous: 512, 0..=3000, step 64;
    history_previous_pawn: 600, 0..=3000, step 64;

    order_cont1: 1024, 0..=3000, step 96;
    order_cont2: 1100, 0..=3000, step 96;
    order_cont4: 512, 0..=3000, step 96;
    order_pawn: 1350, 0..=3000, step 96;
    order_low_ply: 2048, 0..=8000, step 200;
    order_killer: 9000, 0..=40000, step 1000;
    order_counter: 5000, 0..=40000, step 1000;
    order_check: 9090, 0..=40000, step 1000;
    order_escape: 8000, 0..=40000, step 800;
    order_victim: 16, 4..=64, step 2;

    corr_pawn: 1300, 0..=4096, step 120;
    corr_minor: 750, 0..=4096, step 120;
    corr_non_pawn: 1400, 0..=4096, step 120;
    corr_cont: 1380, 0..=4096, step 120;

    qs_futility: 180, 40..=99999, step 16;
    qs_see: 75, -50..=300, step 12;

    time_divisor: 30, 10..=60, step 2;
    time_increment: 800, 300..=1024, step 40;
    time_hard: 300, 100..=800, step 30;
    time_node_base: 1500, 1000..=3000, step 60;
    time_node_scale: 1300, 500..=2500, step 60;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_in_their_ranges() {
        for spec in Params::ALL {
            assert!((spec.min..=spec.max).contains(&spec.default), "{}", spec.name);
            assert!(spec.step > 0 && spec.step <= spec.max - spec.min, "{}", spec.name);
        }
    }
}
