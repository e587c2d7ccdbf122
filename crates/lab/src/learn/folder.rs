//! The folder of a run: what lies where, and how it begins.

use super::error::LearnError;
use super::openings;
use super::plan::{Outline, Plan};
use super::result::Generation;
use super::settings::{Choices, Settings, Start};
use super::status::Status;
use crate::train;
use crate::work::lock::{self, LockError};
use crate::work::{files, settings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tabiya_nn::Network;

/// Files that may be there before a run has begun: of a begun one that was killed, or of its user.
const HARMLESS: [&str; 4] = ["learn.lock", "inbox", "start.nnue", "openings.epd"];
/// The text that goes into a net of random weights.
const RANDOM: &str = "random weights: knows nothing";

/// Where everything of a run is. Reading needs no lock: every file appears whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder(PathBuf);

/// Keeps other runs out of a folder as long as it lives.
pub(super) struct Lock(
    #[expect(dead_code, reason = "closing the file gives the folder free")] File,
);

impl Folder {
    /// The folder at this place, whether it is there or not.
    pub fn new(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.0
    }

    /// The best net so far.
    pub fn best_net(&self) -> PathBuf {
        self.0.join("best.nnue")
    }

    /// The report of the run as a page.
    pub fn report(&self) -> PathBuf {
        self.0.join("report.html")
    }

    /// Where games of other machines are dropped.
    pub fn inbox(&self) -> PathBuf {
        self.0.join("inbox")
    }

    pub(super) fn openings(&self) -> PathBuf {
        self.0.join("openings.epd")
    }

    /// The folder of a generation.
    pub(super) fn generation(&self, number: u64) -> PathBuf {
        self.0.join(generation_name(number))
    }

    /// The net of a generation; of generation 0 the one of the start.
    pub(super) fn net(&self, number: u64) -> PathBuf {
        self.0.join(net_name(number))
    }

    /// The settings of the run.
    pub fn settings(&self) -> Result<Settings, LearnError> {
        let path = self.0.join("learn.json");
        read_json(&path)?.ok_or_else(|| {
            LearnError::Read(path, io::Error::new(io::ErrorKind::NotFound, "no run of learn here"))
        })
    }

    /// What the run is doing, or did last.
    pub fn status(&self) -> Result<Option<Status>, LearnError> {
        read_json(&self.0.join("status.json"))
    }

    pub(super) fn write_status(&self, status: &Status) -> Result<(), LearnError> {
        write_json(&self.0.join("status.json"), status)
    }

    pub(super) fn plan(&self, number: u64) -> Result<Option<Plan>, LearnError> {
        read_json(&self.generation(number).join("plan.json"))
    }

    pub(super) fn write_plan(&self, plan: &Plan) -> Result<(), LearnError> {
        write_json(&self.generation(plan.generation).join("plan.json"), plan)
    }

    /// All generations that are done, in order.
    pub fn generations(&self) -> Result<Vec<Generation>, LearnError> {
        let mut done = Vec::new();
        while let Some(next) = self.result(done.len() as u64 + 1)? {
            done.push(next);
        }
        Ok(done)
    }

    fn result(&self, number: u64) -> Result<Option<Generation>, LearnError> {
        read_json(&self.generation(number).join("result.json"))
    }

    pub(super) fn write_result(&self, result: &Generation) -> Result<(), LearnError> {
        write_json(&self.generation(result.plan.generation).join("result.json"), result)
    }

    /// Adds a line to the log.
    pub(super) fn log(&self, line: &str) -> Result<(), LearnError> {
        let path = self.0.join("log.txt");
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(&path);
        let written = file.and_then(|mut file| writeln!(file, "{line}"));
        written.map_err(|error| LearnError::Write(path, error))
    }

    /// Begins a run here, or continues the one that is here.
    pub(super) fn begin(
        &self,
        choices: &Choices,
        resume: bool,
    ) -> Result<(Settings, Lock), LearnError> {
        let write = |error| LearnError::Write(self.0.clone(), error);
        self.check(choices, resume)?;
        fs::create_dir_all(&self.0).map_err(write)?;
        let lock = self.0.join("learn.lock");
        let options = OpenOptions::new().read(true).append(true).create(true).clone();
        let lock = lock::open_unlinked(&lock, &options).map_err(|error| match error {
            LockError::Busy => LearnError::Busy(self.0.clone()),
            LockError::Io(error) => LearnError::Write(lock.clone(), error),
        })?;
        let settings =
            if self.is_begun() { self.continued(choices)? } else { self.created(choices)? };
        fs::create_dir_all(self.inbox()).map_err(write)?;
        Ok((settings, Lock(lock)))
    }

    fn is_begun(&self) -> bool {
        self.0.join("learn.json").exists()
    }

    /// Refuses what cannot be begun or continued, before anything is written.
    fn check(&self, choices: &Choices, resume: bool) -> Result<(), LearnError> {
        if self.is_begun() {
            return if resume { Ok(()) } else { Err(LearnError::Exists(self.0.clone())) };
        }
        choices.apply(Settings::default()).check()?;
        if let Some(path) = &choices.net {
            read_net(path)?;
        }
        if self.0.exists() { self.refuse_foreign() } else { Ok(()) }
    }

    /// The recorded settings, if the choices agree with them.
    fn continued(&self, choices: &Choices) -> Result<Settings, LearnError> {
        let recorded = self.settings()?;
        let mut wanted = choices.apply(recorded.clone());
        if let Some(path) = &choices.net {
            wanted.from = Start::Net(read_net(path)?.1);
        }
        settings::compare(&settings::fields(&recorded), &settings::fields(&wanted))
            .map_err(|other| LearnError::OtherSettings(self.0.clone(), other))?;
        Ok(recorded)
    }

    fn created(&self, choices: &Choices) -> Result<Settings, LearnError> {
        let mut settings = choices.apply(Settings::default());
        let start = self.net(0);
        if let Some(path) = &choices.net {
            let (net, checksum) = read_net(path)?;
            settings.shape = choices.shape.unwrap_or(net.shape());
            settings.from = Start::Net(checksum);
            write(&start, &net.save())?;
        }
        if settings.from == Start::Random {
            let shape = Outline::new(&settings, 1, 0).shape;
            let net = train::random(shape, settings.seed, RANDOM);
            write(&start, &net.map_err(|error| LearnError::Train(0, error))?.save())?;
        }
        write(&self.openings(), openings::text(settings.seed).as_bytes())?;
        write_json(&self.0.join("learn.json"), &settings)?;
        Ok(settings)
    }

    /// Removes what a run that was killed was about to write.
    pub(super) fn remove_unfinished(&self, generation: u64) -> Result<(), LearnError> {
        let place = self.generation(generation);
        let fail = |error| LearnError::Read(place.clone(), error);
        for entry in fs::read_dir(&place).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|ending| ending == "new") {
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }

    /// A run begins in an empty folder, or none: what else is there belongs to somebody.
    fn refuse_foreign(&self) -> Result<(), LearnError> {
        let fail = |error| LearnError::Read(self.0.clone(), error);
        for entry in fs::read_dir(&self.0).map_err(fail)? {
            let name = entry.map_err(fail)?.file_name();
            let name = name.to_string_lossy();
            if !HARMLESS.iter().any(|known| name.starts_with(known)) && !name.ends_with(".new") {
                return Err(LearnError::Foreign(self.0.clone()));
            }
        }
        Ok(())
    }
}

/// The name of a generation's folder in that of the run.
fn generation_name(number: u64) -> String {
    format!("generations/{number:03}")
}

/// The name of a generation's net in the folder of the run.
pub(super) fn net_name(number: u64) -> String {
    match number {
        0 => "start.nnue".to_owned(),
        _ => format!("{}/net.nnue", generation_name(number)),
    }
}

/// A net and its checksum as text.
fn read_net(path: &Path) -> Result<(Network, String), LearnError> {
    let bytes = fs::read(path).map_err(|error| LearnError::Read(path.to_owned(), error))?;
    let net = Network::load(&bytes)
        .map_err(|error| LearnError::Damaged(path.to_owned(), error.to_string()))?;
    let checksum = format!("{:016x}", net.checksum());
    Ok((net, checksum))
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), LearnError> {
    files::replace(path, bytes).map_err(|error| LearnError::Write(path.to_owned(), error))
}

/// Writes a value as text that people can read, too.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), LearnError> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|error| LearnError::Write(path.to_owned(), error.into()))?;
    text.push(b'\n');
    write(path, &text)
}

/// Reads a value; `None` if there is no such file.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LearnError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| LearnError::Damaged(path.to_owned(), error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LearnError::Read(path.to_owned(), error)),
    }
}
