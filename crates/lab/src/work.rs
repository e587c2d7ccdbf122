//! What every long job needs: files that are written whole or not at all, ordered parallel work, a
//! stop signal, random numbers.

pub(crate) mod files;
pub(crate) mod growing;
pub(crate) mod lock;
mod pipeline;
pub(crate) mod random;
mod stop;
pub(crate) mod traced;

pub use files::remove_unfinished;
pub use growing::GrowError;
pub use pipeline::{LostItem, ordered_map, ordered_map_with};
pub use stop::StopSignal;
