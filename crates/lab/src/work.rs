//! What every long job needs: files that are written whole or not at all, ordered parallel work, a
//! stop signal, random numbers.

#[cfg(feature = "native")]
pub(crate) mod files;
#[cfg(feature = "native")]
pub(crate) mod golden;
#[cfg(feature = "native")]
pub(crate) mod growing;
#[cfg(feature = "native")]
pub(crate) mod hash;
#[cfg(feature = "native")]
pub(crate) mod lock;
#[cfg(feature = "native")]
mod part;
#[cfg(feature = "native")]
pub(crate) mod pipeline;
pub(crate) mod random;
#[cfg(feature = "native")]
pub(crate) mod settings;
mod stop;
#[cfg(feature = "native")]
pub(crate) mod traced;
#[cfg(feature = "native")]
mod zstd;

#[cfg(feature = "native")]
pub use files::{check_writable, remove_unfinished, replace};
#[cfg(feature = "native")]
pub use growing::GrowError;
#[cfg(feature = "native")]
pub use part::{Part, PartError};
#[cfg(feature = "native")]
pub use pipeline::{LostItem, ordered_map, ordered_map_with};
pub use random::SplitMix;
#[cfg(feature = "native")]
pub use settings::{OtherSetting, RunSettings};
pub use stop::StopSignal;
