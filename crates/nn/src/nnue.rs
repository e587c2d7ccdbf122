//! The efficiently updatable network (NNUE, Yu Nasu 2018): module map.
//!
//! `shape` says what a net looks like, `features` what it sees and `arch` how numbers are rounded: all
//! shared with the trainer. `parts` are checked weights in their canonical order, `head` the layers
//! after the hidden one, `network` both ready to run, `file` reads and writes them, `accumulator`
//! keeps the hidden layer up to date during a search.

mod accumulator;
mod arch;
mod error;
mod features;
mod file;
mod head;
mod material;
mod network;
mod parts;
mod shape;

pub use accumulator::{Accumulators, Delta};
pub(crate) use arch::fnv1a;
pub use arch::{
    BYTE_LIMIT, DENSE_LIMIT, DEQUANTISE, FLOAT_LIMIT, FT_LIMIT, OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT,
    OUTPUT_SUM_LIMIT, PRODUCT_SHIFT, QA, QB, SCALE,
};
pub use error::NetError;
pub use features::{View, active_features};
pub(crate) use head::DeepHead;
pub use network::{NetInfo, Network};
pub use parts::{DeepParts, HeadParts, Parts, SingleParts};
pub use shape::{Activation, Dense, DenseActivation, Shape, Tail};
