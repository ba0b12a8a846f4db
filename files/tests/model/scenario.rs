// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios: the state of a disk before, the content to write, and the allowed states afterwards.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use halimede_files::model::{Disk, Process};
use halimede_files::{Files, FolderIn, Kind, Options, OutputError, OutputIn};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The output, its input, a leftover temporary file, and the target of links.
pub const OUT: &str = "/d/out";
pub const INPUT: &str = "/d/in";
const LEFT: &str = "/d/.halimede-0000000000000007.tmp";
const REAL: &str = "/e/real";
const NAMES: [&str; 3] = ["secret.key", "public.key", "evaluation.keys"];

/// The state of the output's path before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    Nothing,
    File,
    Link,
    DanglingLink,
    Stream,
    /// The parent folder does not exist either.
    NoParent,
    EmptyFolder,
    FullFolder,
}

/// The content to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    File(Vec<u8>),
    Folder(BTreeMap<String, Vec<u8>>),
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub seed: u64,
    pub before: Before,
    pub is_folder: bool,
    pub is_new: bool,
    pub is_secret: bool,
    pub seeks: bool,
    pub mode: u32,
    pub old: Vec<u8>,
    pub has_unnamed: bool,
}

/// A procedure that writes content: a real one or a faulty one.
pub type Procedure = fn(&Files<Process>, &Process, &Scenario, &Content) -> io::Result<()>;

impl Scenario {
    pub fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let is_folder = rng.gen_bool(0.4);
        let files = [
            Before::Nothing,
            Before::File,
            Before::File,
            Before::Link,
            Before::DanglingLink,
            Before::Stream,
        ];
        let folders = [Before::Nothing, Before::NoParent, Before::EmptyFolder, Before::FullFolder];
        let all = if is_folder { &folders[..] } else { &files };
        let before = *all.choose(&mut rng).unwrap();
        let old = bytes(&mut rng, b'o');
        Self {
            seed,
            before,
            is_folder,
            is_new: !is_folder && rng.gen_bool(0.3),
            is_secret: rng.gen(),
            seeks: rng.gen(),
            mode: *[0o644, 0o600, 0o755, 0o640].choose(&mut rng).unwrap(),
            old,
            has_unnamed: rng.gen(),
        }
    }

    /// The initial disk, completely synchronized.
    pub fn disk(&self) -> Disk {
        let mut disk = Disk::new(self.has_unnamed);
        disk.add("/d", Kind::Folder, b"", 0o755);
        disk.add("/e", Kind::Folder, b"", 0o755);
        disk.add(INPUT, Kind::Regular, b"the input", 0o644);
        disk.add(LEFT, Kind::Regular, b"left behind", 0o600);
        match self.before {
            Before::Nothing | Before::NoParent => {}
            Before::File => drop(disk.add(OUT, Kind::Regular, &self.old, self.mode)),
            Before::Link => {
                disk.add(REAL, Kind::Regular, &self.old, self.mode);
                disk.add_link(OUT, "../e/real");
                disk.add_link(OUT, REAL);
            }
            Before::DanglingLink => disk.add_link(OUT, REAL),
            Before::Stream => drop(disk.add(OUT, Kind::Stream, b"", 0o666)),
            Before::EmptyFolder => drop(disk.add(OUT, Kind::Folder, b"", 0o755)),
            Before::FullFolder => {
                disk.add(OUT, Kind::Folder, b"", 0o755);
                disk.add(&format!("{OUT}/secret.key"), Kind::Regular, &self.old, 0o600);
            }
        }
        disk.settle();
        disk
    }

    pub fn path(&self) -> &'static str {
        match self.before {
            Before::NoParent => "/d/x/y/out",
            _ => OUT,
        }
    }

    /// The content that the process with this number writes.
    pub fn content(&self, process: u64) -> Content {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ (process + 1) << 48);
        let tag = b'A' + process as u8;
        match self.is_folder {
            false => Content::File(bytes(&mut rng, tag)),
            true => Content::Folder(
                NAMES.iter().map(|name| (name.to_string(), bytes(&mut rng, tag))).collect(),
            ),
        }
    }

    /// True if a process must refuse this output.
    pub fn is_refused(&self) -> bool {
        match self.before {
            Before::FullFolder | Before::DanglingLink => true,
            Before::File | Before::Link => self.is_new,
            _ => false,
        }
    }

    /// The content at the output's path on a disk; `None` for an empty folder that existed before.
    pub fn found(&self, disk: &Disk) -> Option<Content> {
        match self.is_folder {
            false => disk.content(self.path()).map(|bytes| Content::File(bytes.to_vec())),
            true => disk.folder(self.path()).map(Content::Folder),
        }
    }

    fn old_content(&self) -> Option<Content> {
        self.found(&self.disk())
    }

    /// Checks a disk on which these processes may have written, and have if `succeeded`.
    /// `is_clean`: no process was killed, so no temporary file may be left.
    pub fn check(
        &self,
        disk: &Disk,
        processes: &[u64],
        succeeded: bool,
        is_clean: bool,
    ) -> Result<(), String> {
        let found = self.found(disk);
        let written: Vec<Content> =
            processes.iter().map(|process| self.content(*process)).collect();
        let is_new = found.as_ref().is_some_and(|found| written.contains(found));
        let is_old = found == self.old_content();
        let is_streamed = self.before == Before::Stream && disk.kind(OUT) == Some(Kind::Stream);
        if !(is_new || is_streamed || is_old && !succeeded) {
            return Err(format!("{found:?} is at the output; {written:?} was written"));
        }
        if self.is_refused() && !is_old {
            return Err("a refused output was replaced".into());
        }
        if disk.content(INPUT) != Some(b"the input") {
            return Err("the input has changed".into());
        }
        if disk.content(LEFT) != Some(b"left behind") {
            return Err("another user's file has changed".into());
        }
        if self.before == Before::Link
            && !self.is_folder
            && disk.content(REAL).map(<[u8]>::to_vec) != disk.content(OUT).map(<[u8]>::to_vec)
        {
            return Err("the link leads to something else".into());
        }
        let known = |path: &String| {
            let above = ["/d", "/e", "/d/x", "/d/x/y", INPUT, LEFT, REAL, self.path()];
            above.contains(&path.as_str()) || path.starts_with(&format!("{}/", self.path()))
        };
        for path in disk.paths().iter().filter(|path| !known(path)) {
            let name = path.rsplit("/.").next().unwrap_or_default();
            let is_hidden = path.contains("/.halimede-") && name != path;
            if is_clean || !is_hidden {
                return Err(format!("{path} was left"));
            }
        }
        Ok(())
    }

    /// Checks the permissions of the output.
    pub fn check_mode(&self, process: &Process) -> Result<(), String> {
        use halimede_files::System;
        if self.is_folder || self.before == Before::Stream {
            return Ok(());
        }
        let mode = process.look(Path::new(self.path()), true).unwrap().unwrap().mode;
        let wanted = match self.before {
            Before::File | Before::Link if self.is_secret => self.mode & 0o600,
            Before::File | Before::Link => self.mode,
            _ if self.is_secret => 0o600,
            _ => 0o644,
        };
        match mode == wanted {
            true => Ok(()),
            false => Err(format!("the mode is {mode:o}, not {wanted:o}")),
        }
    }
}

/// A tag and a random number of bytes, for different lengths.
fn bytes(rng: &mut ChaCha8Rng, tag: u8) -> Vec<u8> {
    let length = rng.gen_range(0..60);
    std::iter::once(tag).chain((0..length).map(|_| rng.gen_range(b'a'..=b'n'))).collect()
}

/// Writes the content by the procedures of the crate.
pub fn by_the_crate(
    files: &Files<Process>,
    _process: &Process,
    scenario: &Scenario,
    content: &Content,
) -> io::Result<()> {
    let other = |error: OutputError| match error {
        OutputError::Io { source, .. } => source,
        refusal => io::Error::other(refusal),
    };
    match content {
        Content::File(bytes) => {
            let options = Options {
                inputs: &[Path::new(INPUT)],
                is_secret: scenario.is_secret,
                is_new: scenario.is_new,
                seeks: scenario.seeks,
            };
            let mut output =
                OutputIn::create(files, Path::new(scenario.path()), &options).map_err(other)?;
            output.write_all(bytes)?;
            output.complete().map_err(other)
        }
        Content::Folder(contents) => {
            let mut folder = FolderIn::create(files, Path::new(scenario.path())).map_err(other)?;
            for (name, bytes) in contents {
                let mut file = folder.file(name, name == "secret.key").map_err(other)?;
                file.write_all(bytes)?;
                file.complete().map_err(other)?;
            }
            folder.complete().map_err(other)
        }
    }
}
