//! Neural evaluation of chess positions: network files, accumulators, kernels.
//!
//! [`Network`] is a validated net, [`Accumulators`] the per-thread state that follows a search
//! and evaluates, [`Shape`] and [`View`] the definition of the net that a trainer shares. All
//! arithmetic is exact or in one fixed order, so every kernel on every machine gives the same numbers.
//!
//! ```
//! use std::sync::Arc;
//! use tabiya_chess::Board;
//! use tabiya_nn::{Accumulators, Delta, Network, Shape};
//! let net = Arc::new(Network::material(Shape::new(128, 1, 1)?));
//! let mut board: Board = "4k3/8/8/8/8/8/8/QR2K3 w - - 0 1".parse().unwrap();
//! let mut accumulators = Accumulators::new(&net);
//! accumulators.reset(&board);
//! assert!(accumulators.evaluate(&board) > 1000);
//! let mv = board.legal_moves().get(0).unwrap();
//! accumulators.push(Delta::new(&board, mv));
//! board.play(mv);
//! assert!(accumulators.evaluate(&board) < -1000);
//! # Ok::<(), tabiya_nn::NetError>(())
//! ```

mod line;
mod nnue;
pub mod policy;
#[expect(unsafe_code, reason = "intrinsics, and function pointers behind a feature check")]
pub mod simd;

pub use line::{Bytes, GroupWeights, SmallLine, WordLine};
pub use nnue::{
    Accumulators, Activation, BYTE_LIMIT, DENSE_LIMIT, DEQUANTISE, DeepParts, Delta, Dense,
    DenseActivation, FLOAT_LIMIT, FT_LIMIT, HeadParts, NetError, NetInfo, Network,
    OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT, OUTPUT_SUM_LIMIT, PRODUCT_SHIFT, Parts, Placement, QA, QB,
    SCALE, Shape, SingleParts, THREAT_LIMIT, Tail, Threat, View, active_features, for_each_change,
    for_each_threat, threat_features,
};
