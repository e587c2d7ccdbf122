//! Everything a run needs to go on as if it had never stopped, in one file.
//!
//! Magic, a JSON text with settings, data and position of the run, then parameters and moments as f32,
//! then a checksum. What is dealt follows from the seed and the number of the step.

use super::optim::Parameters;
use super::schedule::Finish;
use super::{Point, PolicyTrainError, Settings};
use crate::work::files;
use serde::{Deserialize, Serialize};
use std::path::Path;

const MAGIC: &[u8; 8] = b"TabiyaP1";

/// How far a run is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// Steps done.
    pub(crate) step: u64,
    /// Positions trained on.
    pub(crate) positions: u64,
    /// An early finish under way.
    pub(crate) finish: Option<Finish>,
    /// The loss curve so far.
    pub(crate) curve: Vec<Point>,
    /// Sums since its last point: steps, policy loss and value loss.
    pub(crate) pending: (u64, f64, f64),
}

#[derive(Serialize, Deserialize)]
struct Text {
    parameters: usize,
    settings: Settings,
    data: String,
    state: State,
}

/// A run on disk.
pub(crate) struct Checkpoint {
    pub(crate) settings: Settings,
    pub(crate) data: String,
    pub(crate) state: State,
    pub(crate) parameters: Parameters,
}

impl Checkpoint {
    pub(crate) fn save(&self, path: &Path) -> Result<(), PolicyTrainError> {
        let broken = |_| PolicyTrainError::Checkpoint("its text cannot be written");
        let text = Text {
            settings: self.settings.clone(),
            data: self.data.clone(),
            state: self.state.clone(),
            parameters: self.parameters.latent.len(),
        };
        let text = serde_json::to_vec(&text).map_err(broken)?;
        let Parameters { latent, mean, square } = &self.parameters;
        let mut bytes = Vec::with_capacity(12 * latent.len() + text.len() + 64);
        bytes.extend(MAGIC);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        for numbers in [latent, mean, square] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        files::replace(path, &bytes)
            .map_err(|error| PolicyTrainError::Write(path.to_owned(), error))
    }

    pub(crate) fn load(path: &Path) -> Result<Self, PolicyTrainError> {
        let bytes =
            std::fs::read(path).map_err(|error| PolicyTrainError::Read(path.to_owned(), error))?;
        Self::parse(&bytes).ok_or(PolicyTrainError::Checkpoint("it is damaged or of another kind"))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let (length, rest) = content.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let text: Text = serde_json::from_slice(text).ok()?;
        let size = text.parameters.checked_mul(4)?;
        if rest.len() != size.checked_mul(3)? {
            return None;
        }
        let numbers = |index: usize| {
            let (words, _) = rest[index * size..(index + 1) * size].as_chunks();
            words.iter().map(|word| f32::from_le_bytes(*word)).collect()
        };
        let parameters = Parameters { latent: numbers(0), mean: numbers(1), square: numbers(2) };
        Some(Self { settings: text.settings, data: text.data, state: text.state, parameters })
    }
}
