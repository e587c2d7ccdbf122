//! Plain Rust: the specification, and the kernel of last resort.

use super::{
    ByteLine, CodeLine, Dot, FloatLine, Kernels, MaskLine, Masked, ROWS, generic, kernel_table,
};

kernel_table!("scalar", Scalar, is_x86_feature_detected []);

#[derive(Clone, Copy)]
struct Scalar;

impl Dot for Scalar {
    type Codes = [[u8; 64]; 4];
    type Sums = i32;
    type Lanes = [f32; 16];

    fn unpack(self, line: &CodeLine) -> Self::Codes {
        [0, 2, 4, 6].map(|shift| line.0.map(|byte| byte >> shift & 3))
    }

    fn zero(self) -> i32 {
        0
    }

    fn add(self, sums: i32, codes: Self::Codes, x: &[ByteLine; 4]) -> i32 {
        let pairs = codes.as_flattened().iter().zip(x.iter().flat_map(|line| line.0.iter()));
        pairs.fold(sums, |sum, (code, x)| sum + *code as i32 * *x as i32)
    }

    fn totals(self, sums: [i32; ROWS]) -> [i32; ROWS] {
        sums
    }

    fn no_lanes(self) -> Self::Lanes {
        [0.0; 16]
    }

    fn add_masked(self, mut lanes: [Self::Lanes; ROWS], line: Masked) -> [Self::Lanes; ROWS] {
        for (lanes, mask) in lanes.iter_mut().zip(line.rows) {
            for (k, x) in line.x.iter().enumerate() {
                let [plus, minus] =
                    [&mask.plus, &mask.minus].map(|mask| mask[k / 2] >> (16 * (k % 2)));
                for (l, lane) in lanes.iter_mut().enumerate() {
                    let weight = (plus >> l & 1) as i32 - (minus >> l & 1) as i32;
                    *lane += match weight {
                        1 => x.0[l],
                        -1 => -x.0[l],
                        _ => 0.0,
                    };
                }
            }
        }
        lanes
    }

    fn lanes(self, lanes: Self::Lanes) -> FloatLine {
        FloatLine(lanes)
    }
}
