//! Games from other machines: whoever drops a file of games into the inbox gives them to the next
//! generation.
//!
//! A file is read whole and every move is checked before it is taken. Positions that are there already
//! are dropped when positions are chosen, so a file that comes twice does no harm.

use super::error::LearnError;
use super::folder::Folder;
use crate::data::positions::{game_blocks, visit};
use crate::data::record::{CENTIPAWNS, Game, Reader};
use std::fs;
use std::path::{Path, PathBuf};

/// What such files end with.
const ENDING: &str = "games";
/// What files in a generation's folder begin with that came by the inbox.
const TAKEN: &str = "other-";
/// Where refused files go, below the inbox.
const REFUSED: &str = "refused";

/// Files taken for a generation, by their names in its folder, and what is to be told.
#[derive(Default)]
pub(super) struct Delivery {
    pub(super) taken: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// Takes the files in the inbox to a generation's folder, which must be there. Files that an earlier
/// call took before it was interrupted count, too.
pub(super) fn accept(folder: &Folder, generation: u64) -> Result<Delivery, LearnError> {
    let mut delivery = Delivery::default();
    let target = folder.generation(generation);
    for path in listed(&folder.inbox())? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_none_or(|ending| ending != ENDING) {
            continue;
        }
        let (place, note) = match check(&path) {
            Ok(games) => (
                free(&target, &format!("{TAKEN}{name}")),
                format!("inbox: {name}: {games} games taken"),
            ),
            Err(reason) => {
                let refused = folder.inbox().join(REFUSED);
                fs::create_dir_all(&refused)
                    .map_err(|error| LearnError::Write(refused.clone(), error))?;
                (free(&refused, &name), format!("inbox: {name}: refused: {reason}"))
            }
        };
        fs::rename(&path, &place).map_err(|error| LearnError::Write(place, error))?;
        delivery.notes.push(note);
    }
    for path in listed(&target)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        delivery.taken.extend(name.starts_with(TAKEN).then_some(name));
    }
    Ok(delivery)
}

/// A name that nothing has yet.
fn free(folder: &Path, name: &str) -> PathBuf {
    let mut names = (1..).map(|number| match number {
        1 => folder.join(name),
        _ => folder.join(format!("{name}.{number}")),
    });
    names.find(|path| !path.exists()).unwrap_or_else(|| folder.join(name))
}

/// The regular files of a folder in the order of their names.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, LearnError> {
    let fail = |error| LearnError::Read(folder.to_owned(), error);
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(fail)?.collect();
    let files = entries.map_err(fail)?.into_iter();
    let files = files.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// The number of games of a file, if all of it makes sense.
fn check(path: &Path) -> Result<u64, String> {
    let reader = Reader::<Game>::open(path).map_err(|error| error.to_string())?;
    let unit = &reader.header().score_unit;
    if unit != CENTIPAWNS {
        return Err(format!("its scores are {unit}, not {CENTIPAWNS}"));
    }
    let mut count = 0;
    for (path, block, games) in game_blocks(path) {
        let games = games.map_err(|error| error.to_string())?;
        let checked = visit(&games, &path, block, |game| game.replay(|_, _| ()));
        checked.map_err(|error| error.to_string())?;
        count += games.len() as u64;
    }
    Ok(count)
}
