//! The efficiently updatable network (NNUE, Yu Nasu 2018): module map.
//!
//! `arch` says what a net looks like and `features` what it sees: both are shared with the
//! trainer. `network` holds checked weights, `file` reads and writes them, `accumulator` keeps the
//! hidden layer up to date during a search.

mod accumulator;
mod arch;
mod features;
mod file;
mod material;
mod network;

pub use accumulator::{Accumulators, Delta};
pub(crate) use arch::fnv1a;
pub use arch::{
    FT_LIMIT, Family, OUTPUT_BIAS_LIMIT, OUTPUT_LIMIT, OUTPUT_SUM_LIMIT, QA, QB, SCALE, Shape,
};
pub use features::{View, active_features};
pub use file::NetError;
pub use network::{NetInfo, Network, Parts};
