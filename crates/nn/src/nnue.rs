//! The efficiently updatable network (NNUE, Yu Nasu 2018): module map.
//!
//! `shape` says what a net looks like, `features` what it sees and `arch` how numbers are rounded: all
//! shared with the trainer. `parts` are checked weights in their canonical order, `head` the layers
//! after the hidden one, `network` both ready to run, `file` reads and writes them, `accumulator`
//! keeps the hidden layer up to date during a search.
//!
//! Nets may also see `threats`, the attacks of a `placement`; `threat_sums` is their share of the hidden
//! layer.

mod accumulator;
mod arch;
mod error;
mod features;
mod file;
mod head;
mod material;
mod network;
mod parts;
mod placement;
mod shape;
mod threat_sums;
mod threats;

pub use accumulator::{Accumulators, Delta};
pub(crate) use arch::fnv1a;
pub use arch::{
    BYTE_LIMIT, DENSE_LIMIT, DEQUANTISE, FLOAT_LIMIT, FT_LIMIT, OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT,
    OUTPUT_SUM_LIMIT, PRODUCT_SHIFT, QA, QB, SCALE, THREAT_LIMIT,
};
pub use error::NetError;
pub use features::{View, active_features};
pub(crate) use head::{Activated, DeepHead};
pub use network::{NetInfo, Network};
pub use parts::{DeepParts, HeadParts, Parts, SingleParts};
pub use placement::Placement;
pub use shape::{Activation, Dense, DenseActivation, Shape, Tail};
pub use threats::{Threat, for_each_change, for_each_threat, threat_features};
