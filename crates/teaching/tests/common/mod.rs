//! Checks for an engine that the crate root names as `program`: those that the large engine passes, too,
//! and a hundred games.

#[allow(dead_code, reason = "the tests of the large engine use more of it")]
#[path = "../../../cli/tests/uci/answer.rs"]
pub(crate) mod answer;
#[path = "../../../cli/tests/uci/compliance.rs"]
mod compliance;
#[allow(dead_code, reason = "the tests of the large engine use more of it")]
#[path = "../../../cli/tests/uci/process.rs"]
pub(crate) mod process;
#[allow(dead_code, reason = "the tests of the rules use more of it")]
#[path = "../../../chess/tests/common/mod.rs"]
mod random;
mod random_mover;
