// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outputs on the file system of this machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{Read, Seek, Write};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::Path;

use halimede_files::{Files, FolderIn, Options, OutputError, OutputIn, Real, Status, System};
use tempfile::TempDir;

/// The machine's file system, without unnamed files.
struct Named;

/// Calls of the machine's file system.
macro_rules! as_real {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> $result { Real.$name($($argument),*) })*
    };
}

impl System for Named {
    type File = std::fs::File;

    fn open_unnamed(&self, _: &Path, _: u32) -> std::io::Result<Self::File> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    as_real! {
        look(path: &Path, follow: bool) -> std::io::Result<Option<Status>>;
        look_at_input() -> std::io::Result<Status>;
        look_at_output() -> std::io::Result<Status>;
        look_at(file: &Self::File) -> std::io::Result<Status>;
        read_link(path: &Path) -> std::io::Result<std::path::PathBuf>;
        check_writable(path: &Path) -> std::io::Result<()>;
        open_new(path: &Path, mode: u32) -> std::io::Result<Self::File>;
        open_stream(path: &Path) -> std::io::Result<Self::File>;
        open_output() -> std::io::Result<Self::File>;
        open_spool() -> std::io::Result<Self::File>;
        sync(file: &Self::File) -> std::io::Result<()>;
        sync_folder(folder: &Path) -> std::io::Result<()>;
        set_mode(file: &Self::File, mode: u32) -> std::io::Result<()>;
        set_owner(file: &Self::File, owner: (u32, u32)) -> std::io::Result<()>;
        link(file: &Self::File, path: &Path) -> std::io::Result<()>;
        rename(from: &Path, to: &Path) -> std::io::Result<()>;
        rename_new(from: &Path, to: &Path) -> std::io::Result<()>;
        remove(path: &Path) -> std::io::Result<()>;
        make_folder(path: &Path, mode: u32) -> std::io::Result<()>;
        is_empty(folder: &Path) -> std::io::Result<bool>;
        remove_folder(path: &Path) -> std::io::Result<()>;
        token() -> u64;
    }
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn outputs<S: System>(system: S) {
    let files = Files::new(system);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("out");
    let write = |options: &Options, content: &[u8]| {
        let mut output = OutputIn::create(&files, &path, options)?;
        output.write_all(content).unwrap();
        output.rewind().unwrap();
        let mut read = Vec::new();
        output.read_to_end(&mut read).unwrap();
        assert_eq!(read, content);
        output.complete()
    };
    let secret = Options { is_secret: true, is_new: true, ..Options::default() };
    write(&secret, b"secret").unwrap();
    assert_eq!((mode(&path), &std::fs::read(&path).unwrap()[..]), (0o600, &b"secret"[..]));
    let error = write(&secret, b"another").unwrap_err();
    assert!(matches!(error, OutputError::Exists { .. }), "{error}");
    for permissions in [0o644, 0o600, 0o751] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(permissions)).unwrap();
        write(&Options::default(), &permissions.to_string().into_bytes()).unwrap();
        assert_eq!(mode(&path), permissions);
        assert_eq!(std::fs::read(&path).unwrap(), permissions.to_string().as_bytes());
    }
    // A secret file stays secret even if it replaces a public file.
    for (permissions, kept) in [(0o644, 0o600), (0o600, 0o600), (0o666, 0o600), (0o200, 0o200)] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(permissions)).unwrap();
        write(&Options { is_secret: true, ..Options::default() }, b"secret").unwrap();
        assert_eq!(mode(&path), kept);
    }
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    let soft = folder.path().join("soft");
    symlink("out", &soft).unwrap();
    let error = write(&Options { inputs: &[&soft], ..Options::default() }, b"no").unwrap_err();
    assert!(matches!(error, OutputError::Input { .. }), "{error}");
    let dangling = folder.path().join("dangling");
    symlink("elsewhere", &dangling).unwrap();
    let error = OutputIn::create(&files, &dangling, &Options::default()).map(drop).unwrap_err();
    assert!(matches!(&error, OutputError::DanglingLink { .. }), "{error}");
    assert!(error.to_string().contains("dangling is a link to elsewhere, "), "{error}");
    let error = FolderIn::create(&files, &folder.path().join("dangling/")).map(drop).unwrap_err();
    assert!(matches!(error, OutputError::DanglingLink { .. }), "{error}");
    std::fs::remove_file(&dangling).unwrap();
    // Neither a dropped nor an interrupted output leaves anything.
    let mut dropped = OutputIn::create(&files, &path, &Options::default()).unwrap();
    dropped.write_all(b"dropped").unwrap();
    drop(dropped);
    let before = names(&folder);
    let other = folder.path().join("other");
    let _output = OutputIn::create(&files, &other, &Options::default()).unwrap();
    let mut staged = FolderIn::create(&files, &folder.path().join("a/b")).unwrap();
    staged.file("key", true).unwrap().write_all(b"key").unwrap();
    drop(files.interrupt());
    assert_eq!(names(&folder), before);
    assert_eq!(before, ["out", "soft"]);
}

#[test]
fn with_files_without_names() {
    outputs(Real);
}

#[test]
fn without_files_without_names() {
    outputs(Named);
}

#[test]
fn nothing_new_takes_a_name_that_is_there() {
    let folder = TempDir::new().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    let (link, dangling) = (folder.path().join("link"), folder.path().join("dangling"));
    std::fs::write(&old, b"old").unwrap();
    std::fs::write(&new, b"new").unwrap();
    symlink("old", &link).unwrap();
    symlink("none", &dangling).unwrap();
    let file = std::fs::File::open(&new).unwrap();
    for path in [&old, &link, &dangling] {
        let results = [
            Real.open_new(path, 0o600).map(drop),
            Real.make_folder(path, 0o777),
            Real.link(&file, path),
            Real.rename_new(&new, path),
        ];
        for result in results {
            assert_eq!(result.unwrap_err().kind(), std::io::ErrorKind::AlreadyExists, "{path:?}");
        }
    }
    assert_eq!(std::fs::read(&old).unwrap(), b"old");
    assert_eq!(names(&folder), ["dangling", "link", "new", "old"]);
}

#[test]
fn a_secret_folder_is_its_owners() {
    let files = Files::new(Real);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("secret");
    for is_there in [false, true] {
        if is_there {
            std::fs::create_dir(&path).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let mut staged = FolderIn::create_secret(&files, &path).unwrap();
        staged.file("key", true).unwrap().complete().unwrap();
        staged.complete().unwrap();
        assert_eq!(mode(&path), 0o700);
        std::fs::remove_dir_all(&path).unwrap();
    }
}

#[test]
fn a_folder_is_filled_once() {
    let files = Files::new(Real);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys");
    for is_there in [false, true] {
        if is_there {
            std::fs::create_dir(&path).unwrap();
        }
        let mut first = FolderIn::create(&files, &path).unwrap();
        let mut second = FolderIn::create(&files, &path).unwrap();
        for (staged, content) in [(&mut first, b"first"), (&mut second, b"other")] {
            let mut file = staged.file("secret", true).unwrap();
            file.write_all(content).unwrap();
            file.complete().unwrap();
        }
        first.complete().unwrap();
        let error = second.complete().unwrap_err();
        assert!(matches!(error, OutputError::FolderInUse { .. }), "{error}");
        assert_eq!(std::fs::read(path.join("secret")).unwrap(), b"first");
        assert_eq!(mode(&path.join("secret")), 0o600);
        assert_eq!(names(&folder), ["keys"]);
        std::fs::remove_dir_all(&path).unwrap();
    }
}
