// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The folder of runs, which survives the server.
//!
//! | path | content |
//! |---|---|
//! | `runs/RUN.json` | the record of a run |
//! | `runs/RUN.input` | its encrypted input, until it is complete |
//! | `runs/RUN.result` | its encrypted result |
//! | `checkpoints/KEYS/…` | checkpoints of runs with these keys |
//!
//! Each file is written as a whole. An input exists before its record, and a result before the
//! record that states it, so that a record never promises what a crash has lost.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use halimede_files::{read_limited, OutputError};
use serde::{Deserialize, Serialize};

use super::run::{About, Name, Phase, Run};
use crate::objects::{Hash, Owner};
use crate::query::hash as parse_hash;

/// The largest size of a record in bytes.
const MOST_RECORD_BYTES: u64 = 1 << 16;
/// The largest number of characters of an error in a record.
const MOST_ERROR_CHARACTERS: usize = 4_000;

/// The folder of runs.
pub struct Store {
    runs: PathBuf,
    checkpoints: PathBuf,
}

/// A run on the disk.
#[derive(Serialize, Deserialize)]
struct Record {
    network: String,
    keys: String,
    owner: String,
    place: u64,
    attached: bool,
    number: u64,
    /// The number of the first run of its group, so that a group continues as it was.
    group: u64,
    input_bytes: u64,
    /// The size of the result, if it is complete.
    result_bytes: Option<u64>,
    error: Option<String>,
    /// The time of the end, in milliseconds since 1970.
    ended_ms: Option<u64>,
}

impl Record {
    fn of(run: &Run) -> Self {
        let (about, phase) = (&run.about, &*run.phase.borrow());
        let (result_bytes, error, at) = match phase {
            Phase::Done { bytes, at } => (Some(*bytes), None, Some(at)),
            Phase::Failed { error, at } => {
                (None, Some(error.chars().take(MOST_ERROR_CHARACTERS).collect()), Some(at))
            }
            _ => (None, None, None),
        };
        let since = |at: &SystemTime| at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            network: hex::encode(about.network),
            keys: hex::encode(about.keys),
            owner: about.owner.digits(),
            place: about.place,
            attached: about.is_attached,
            number: about.number,
            group: run.group(),
            input_bytes: about.input_bytes,
            result_bytes,
            error,
            ended_ms: at.map(|at| since(at).as_millis() as u64),
        }
    }

    fn run(self, name: Name) -> Option<Run> {
        let about = About {
            name,
            network: parse_hash(&self.network)?,
            keys: parse_hash(&self.keys)?,
            owner: Owner::of_digits(&self.owner)?,
            place: self.place,
            is_attached: self.attached,
            number: self.number,
            input_bytes: self.input_bytes,
        };
        let at = UNIX_EPOCH + Duration::from_millis(self.ended_ms.unwrap_or(0));
        let phase = match (self.result_bytes, self.error) {
            (Some(bytes), _) => Phase::Done { bytes, at },
            (None, Some(error)) => Phase::Failed { error, at },
            (None, None) => Phase::Waiting,
        };
        let run = Run::new(about, phase);
        run.set_group(self.group);
        Some(run)
    }
}

impl Store {
    /// Opens a folder, which is created if it is absent.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let store = Self { runs: path.join("runs"), checkpoints: path.join("checkpoints") };
        fs::create_dir_all(&store.runs)?;
        fs::create_dir_all(&store.checkpoints)?;
        Ok(store)
    }

    /// Reads the runs that an earlier server left. Removes files without a record, and records
    /// without the files that they need.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn read(&self) -> io::Result<Vec<Run>> {
        let mut runs = Vec::new();
        let mut others = Vec::new();
        for entry in fs::read_dir(&self.runs)? {
            let path = entry?.path();
            let Some(name) = path.file_stem().and_then(|stem| Name::parse(stem.to_str()?)) else {
                continue;
            };
            if path.extension().is_none_or(|extension| extension != "json") {
                others.push((name, path));
                continue;
            }
            let record = read_limited(&path, MOST_RECORD_BYTES)?;
            let record: Option<Record> = serde_json::from_slice(&record).ok();
            match record.and_then(|record| record.run(name)) {
                Some(run) if self.has_files(&run) => runs.push(run),
                _ => {
                    tracing::warn!(run = name.digits(), "an unusable record of a run is removed");
                    self.remove(name)?;
                }
            }
        }
        for (name, path) in others {
            if runs.iter().all(|run| run.about.name != name) {
                remove_if_present(&path)?;
            }
        }
        runs.sort_by_key(|run| run.about.number);
        Ok(runs)
    }

    fn has_files(&self, run: &Run) -> bool {
        match &*run.phase.borrow() {
            Phase::Done { .. } => self.result(run.about.name).is_file(),
            Phase::Failed { .. } => true,
            _ => self.input(run.about.name).is_file(),
        }
    }

    /// Stores a new run and its input.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn add(&self, run: &Run, input: &[u8]) -> io::Result<()> {
        let name = run.about.name;
        let stored = write(&self.input(name), input).and_then(|()| self.keep(run));
        if stored.is_err() {
            // The next start also removes the rest of a failed write.
            let _ = self.remove(name);
        }
        stored
    }

    /// Writes the record of a run over an earlier one.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn keep(&self, run: &Run) -> io::Result<()> {
        let record = serde_json::to_vec(&Record::of(run))?;
        write(&self.record(run.about.name), &record)
    }

    /// Writes the result of a run.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn keep_result(&self, name: Name, result: &[u8]) -> io::Result<()> {
        write(&self.result(name), result)
    }

    /// Removes the input of a run.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn remove_input(&self, name: Name) -> io::Result<()> {
        remove_if_present(&self.input(name))
    }

    /// Removes a run with its files.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn remove(&self, name: Name) -> io::Result<()> {
        // The record first: without it, the others are removed at the next start.
        remove_if_present(&self.record(name))?;
        remove_if_present(&self.input(name))?;
        remove_if_present(&self.result(name))
    }

    /// Removes the checkpoints of runs with these keys.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn remove_checkpoints(&self, keys: &Hash) -> io::Result<()> {
        match fs::remove_dir_all(self.checkpoints(keys)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Returns the keys that have a folder of checkpoints.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn checkpointed(&self) -> io::Result<Vec<Hash>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.checkpoints)? {
            all.extend(entry?.file_name().to_str().and_then(parse_hash));
        }
        Ok(all)
    }

    /// The folder of the checkpoints of runs with these keys.
    pub fn checkpoints(&self, keys: &Hash) -> PathBuf {
        self.checkpoints.join(hex::encode(keys))
    }

    /// The file of an encrypted input.
    pub fn input(&self, name: Name) -> PathBuf {
        self.runs.join(format!("{}.input", name.digits()))
    }

    /// The file of an encrypted result.
    pub fn result(&self, name: Name) -> PathBuf {
        self.runs.join(format!("{}.result", name.digits()))
    }

    fn record(&self, name: Name) -> PathBuf {
        self.runs.join(format!("{}.json", name.digits()))
    }
}

/// Writes a file as a whole. Encrypted inputs are linked to their owner: only the server's user may
/// read them.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let options = halimede_files::Options { is_secret: true, ..Default::default() };
    let mut output = halimede_files::create(path, &options).map_err(OutputError::into_io)?;
    output.write_all(content)?;
    output.complete().map_err(OutputError::into_io)
}

fn remove_if_present(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
