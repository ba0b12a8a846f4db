// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faulty procedures that the checks must detect; otherwise the checks would show nothing about the
//! right procedure.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use halimede_files::model::Process;
use halimede_files::{Files, System};

use super::scenario::{Content, Procedure, Scenario};
use super::sweep::{crash_everywhere, race, Count};

/// The number of scenarios within which a fault must be found.
const MOST: u64 = 300;

fn write(process: &Process, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = process.open_new(path, 0o644)?;
    file.write_all(bytes)?;
    process.sync(&file)
}

/// Returns a fresh name.
fn fresh(process: &Process, path: &Path) -> PathBuf {
    loop {
        let name = path.with_file_name(format!(".halimede-{:016x}.tmp", process.token()));
        if !process.look(&name, false).is_ok_and(|found| found.is_some()) {
            return name;
        }
    }
}

/// A procedure only for files: it does not write folders.
macro_rules! of_files {
    ($name:ident, |$process:ident, $path:ident, $bytes:ident| $body:block) => {
        fn $name(
            _: &Files<Process>,
            $process: &Process,
            scenario: &Scenario,
            content: &Content,
        ) -> io::Result<()> {
            let Content::File($bytes) = content else { return Err(ErrorKind::Other.into()) };
            let $path = Path::new(scenario.path());
            $body
        }
    };
}

of_files!(in_place, |process, path, bytes| {
    let mut file = match process.open(path) {
        Ok(file) => file,
        Err(_) => process.open_new(path, 0o644)?,
    };
    process.cut(&file)?;
    file.write_all(bytes)?;
    process.sync(&file)
});

of_files!(fixed_name, |process, path, bytes| {
    // Truncates an existing file instead of creating a new one, as the code before this crate did.
    let partial = path.with_file_name(".halimede-out.tmp");
    let mut file = match process.open(&partial) {
        Ok(file) => file,
        Err(_) => process.open_new(&partial, 0o644).or_else(|_| process.open(&partial))?,
    };
    process.cut(&file)?;
    file.write_all(bytes)?;
    process.sync(&file)?;
    process.rename(&partial, path)?;
    process.sync_folder(Path::new("/d"))
});

of_files!(without_sync, |process, path, bytes| {
    let partial = fresh(process, path);
    process.open_new(&partial, 0o644)?.write_all(bytes)?;
    process.rename(&partial, path)?;
    process.sync_folder(Path::new("/d"))
});

of_files!(renamed_before_sync, |process, path, bytes| {
    let partial = fresh(process, path);
    let mut file = process.open_new(&partial, 0o644)?;
    file.write_all(bytes)?;
    process.rename(&partial, path)?;
    process.sync(&file)?;
    process.sync_folder(Path::new("/d"))
});

of_files!(folder_not_synced, |process, path, bytes| {
    let partial = fresh(process, path);
    write(process, &partial, bytes)?;
    process.rename(&partial, path)
});

of_files!(removed_before_renamed, |process, path, bytes| {
    let partial = fresh(process, path);
    write(process, &partial, bytes)?;
    let _ = process.remove(path);
    process.rename(&partial, path)?;
    process.sync_folder(Path::new("/d"))
});

of_files!(left_behind, |process, path, bytes| {
    // Nothing removes the file if this ends early.
    let partial = fresh(process, path);
    write(process, &partial, bytes)?;
    process.rename(&partial, path)?;
    process.sync_folder(Path::new("/d"))
});

/// Names the keys one by one.
fn keys_one_by_one(
    _: &Files<Process>,
    process: &Process,
    scenario: &Scenario,
    content: &Content,
) -> io::Result<()> {
    let Content::Folder(contents) = content else { return Err(ErrorKind::Other.into()) };
    let folder = Path::new(scenario.path());
    let _ = process.make_folder(folder, 0o777);
    for (name, bytes) in contents {
        let partial = fresh(process, &folder.join(name));
        write(process, &partial, bytes)?;
        process.rename(&partial, &folder.join(name))?;
    }
    process.sync_folder(folder)?;
    process.sync_folder(Path::new("/d"))
}

/// Does not write the names in the staged folder to disk.
fn staged_names_not_synced(
    _: &Files<Process>,
    process: &Process,
    scenario: &Scenario,
    content: &Content,
) -> io::Result<()> {
    let Content::Folder(contents) = content else { return Err(ErrorKind::Other.into()) };
    let staged = fresh(process, Path::new(scenario.path()));
    process.make_folder(&staged, 0o777)?;
    for (name, bytes) in contents {
        write(process, &staged.join(name), bytes)?;
    }
    process.rename(&staged, Path::new(scenario.path()))?;
    process.sync_folder(Path::new("/d"))
}

/// Scenarios in which a mutant fails only by its fault, as far as possible.
fn scenarios(is_folder: bool) -> impl Iterator<Item = Scenario> {
    use super::scenario::Before;
    (0..).map(Scenario::new).filter(move |scenario| {
        let is_usual = matches!(scenario.before, Before::Nothing | Before::File);
        is_usual
            && scenario.is_folder == is_folder
            && !scenario.is_new
            && !scenario.is_secret
            && scenario.mode == 0o644
    })
}

/// Checks that the checks find the fault, with these reasons.
fn is_found(procedure: Procedure, is_folder: bool, reasons: &[&str]) {
    let mut count = Count::default();
    let found = scenarios(is_folder)
        .take(MOST as usize)
        .filter_map(|scenario| crash_everywhere(procedure, &scenario, &mut count).err());
    let found: Vec<String> = found.collect();
    for reason in reasons {
        assert!(found.iter().any(|text| text.contains(reason)), "{reason}: {:?}", found.first());
    }
}

#[test]
fn faulty_outputs_are_found() {
    is_found(in_place, false, &["is at the output"]);
    is_found(without_sync, false, &["power loss"]);
    is_found(renamed_before_sync, false, &["power loss"]);
    is_found(folder_not_synced, false, &["power loss: when done"]);
    is_found(removed_before_renamed, false, &["None is at the output"]);
    is_found(left_behind, false, &["was left"]);
}

#[test]
fn faulty_folders_are_found() {
    is_found(keys_one_by_one, true, &["is at the output"]);
    is_found(staged_names_not_synced, true, &["power loss"]);
}

#[test]
fn faulty_races_are_found() {
    for (procedure, is_folder) in [(fixed_name as Procedure, false), (keys_one_by_one, true)] {
        let found =
            scenarios(is_folder).take(MOST as usize).filter_map(|it| race(procedure, &it).err());
        let found: Vec<String> = found.collect();
        assert!(found.iter().any(|text| text.contains("is at the output")), "{found:?}");
    }
}
