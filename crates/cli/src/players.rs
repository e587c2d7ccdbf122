//! Who can play in matches and solve suites.

use tabiya_lab::arena::{AllPlayers, PlayerFactory};

/// The factory for all players this program knows.
pub(crate) fn factory() -> impl PlayerFactory {
    AllPlayers
}
