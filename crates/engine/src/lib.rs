//! The engine: search and evaluation behind the [`Engine`] facade.

pub mod bench;
pub mod book;
mod config;
mod engine;
pub mod eval;
pub mod files;
mod info;
mod level;
mod limits;
mod memory;
pub mod options;
pub mod policy;
mod pool;
mod resources;
mod score;
mod search;
mod searcher;
mod shared;
mod tablebase;
mod tt;
pub mod uci;
pub mod wdl;

pub use config::Config;
pub use engine::{Engine, Stopper};
pub use info::{Event, Info, InfoBound, Reporter, SearchResult, Wdl};
pub use limits::{Clock, Limits};
pub use score::{MAX_PLY, Score};
pub use search::params::{ParamSpec, Params};
pub use search::see::see_ge;
pub use search::stats::Stats;
pub use searcher::{Searcher, SlicedSearch, StopHandle};
pub use tablebase::{TableWdl, Tablebase, TablebaseError};
pub use tt::TableError;

/// The examples of the README are compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
