//! The engine: choosing a move. Search and evaluation, hash table, opening books, endgame tables.
//!
//! [`Searcher`] searches in the caller's thread, whole or in slices. [`Engine`] does it with threads of its
//! own and answers a [`Reporter`] while they work; it is what a UCI host talks to. Both are set up by a
//! [`Config`], whose fields have names and ranges in [`options`]. [`Limits`] say when to stop, [`Info`] and
//! [`SearchResult`] what was found. Scores are centipawns of the side to move; [`wdl`] turns what the search
//! counts in into them and into chances.
//!
//! ```
//! use tabiya_chess::Board;
//! use tabiya_engine::{Limits, Searcher};
//! let board: Board = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse().unwrap();
//! let mut searcher = Searcher::new(4).unwrap();
//! let result = searcher.search(&board, &[], &Limits::nodes(2000), |_| {});
//! assert_eq!(board.san(result.best.unwrap()), "Ra8#");
//! ```

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
pub use tablebase::{TableMove, TableWdl, Tablebase, TablebaseError};
pub use tt::TableError;
