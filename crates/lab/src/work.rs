//! What every long job needs: files that are written whole or not at all, ordered parallel work, a
//! stop signal, random numbers.

pub(crate) mod files;
pub(crate) mod growing;
pub(crate) mod lock;
mod part;
pub(crate) mod pipeline;
pub(crate) mod random;
pub(crate) mod settings;
mod stop;
pub(crate) mod traced;

pub use files::{check_writable, remove_unfinished};
pub use growing::GrowError;
pub use part::{Part, PartError};
pub use pipeline::{LostItem, ordered_map, ordered_map_with};
pub use random::SplitMix;
pub use settings::{OtherSetting, RunSettings};
pub use stop::StopSignal;
