//! The engine: search and evaluation behind the [`Engine`] facade, or behind [`Searcher`] where there are
//! no threads.

// What only `Engine` needs of the parts it shares with `Searcher`: ponder hits, the answered flag.
#![cfg_attr(not(feature = "threads"), allow(dead_code))]

pub mod bench;
pub mod book;
mod clock;
mod config;
#[cfg(feature = "threads")]
mod engine;
pub mod eval;
pub mod files;
mod info;
mod level;
mod limits;
mod memory;
pub mod options;
pub mod policy;
#[cfg(feature = "threads")]
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

pub use clock::set_clock;
pub use config::Config;
#[cfg(feature = "threads")]
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
