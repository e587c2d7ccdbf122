//! Neural evaluation of chess positions: network files, accumulators, kernels.
//!
//! [`Network`] is a validated net, [`Accumulators`] the per-thread state that follows a search
//! and evaluates, [`Shape`] and [`View`] the definition of the net that a trainer shares. All
//! arithmetic is in integers, so every kernel on every machine gives the same numbers.
//!
//! ```
//! use tabiya_chess::Board;
//! use tabiya_nn::{Accumulators, Delta, Network, Shape};
//! let net = Network::material(Shape::new(128, 1, 1)?);
//! let mut board: Board = "4k3/8/8/8/8/8/8/QR2K3 w - - 0 1".parse().unwrap();
//! let mut accumulators = Accumulators::new(&net);
//! accumulators.reset(&board);
//! assert!(accumulators.evaluate(&net, &board) > 1000);
//! let mv = board.legal_moves().get(0).unwrap();
//! accumulators.push(Delta::new(&board, mv));
//! board.play(mv);
//! assert!(accumulators.evaluate(&net, &board) < -1000);
//! # Ok::<(), tabiya_nn::NetError>(())
//! ```

mod line;
mod nnue;
pub mod policy;
#[expect(unsafe_code, reason = "intrinsics, and function pointers behind a feature check")]
pub mod simd;

pub use line::Line;
pub use nnue::{
    Accumulators, Delta, FT_LIMIT, Family, NetError, NetInfo, Network, OUTPUT_BIAS_LIMIT,
    OUTPUT_LIMIT, OUTPUT_SUM_LIMIT, Parts, QA, QB, SCALE, Shape, View, active_features,
};
