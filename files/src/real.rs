// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file system of this machine.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{self, Access, AtFlags, FileType, Mode, OFlags, Stat, CWD};
use rustix::io::Errno;

use crate::system::{Kind, Status, System};

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

/// The bits of all permissions.
const MODE_BITS: u32 = 0o7777;

fn mode(bits: u32) -> Mode {
    Mode::from_bits_truncate(bits as fs::RawMode)
}

// The widths of the fields of `Stat` differ between machines.
#[allow(clippy::unnecessary_cast)]
fn status(stat: &Stat) -> Status {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::Regular,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Socket => Kind::Socket,
        _ => Kind::Stream,
    };
    Status {
        kind,
        id: (stat.st_dev as u64, stat.st_ino as u64),
        mode: stat.st_mode as u32 & MODE_BITS,
        owner: (stat.st_uid, stat.st_gid),
    }
}

/// The kind of an open file.
pub fn status_of(file: impl AsFd) -> io::Result<Status> {
    Ok(status(&fs::fstat(file)?))
}

impl System for Real {
    type File = File;

    fn look(&self, path: &Path, follow: bool) -> io::Result<Option<Status>> {
        let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        match fs::statat(CWD, path, flags) {
            Ok(stat) => Ok(Some(status(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn look_at_input(&self) -> io::Result<Status> {
        status_of(io::stdin())
    }

    #[expect(clippy::disallowed_methods, reason = "nothing is written here")]
    fn look_at_output(&self) -> io::Result<Status> {
        status_of(io::stdout())
    }

    fn look_at(&self, file: &File) -> io::Result<Status> {
        status_of(file)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::read_link(path)
    }

    fn check_writable(&self, path: &Path) -> io::Result<()> {
        Ok(fs::accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS)?)
    }

    #[cfg(target_os = "linux")]
    fn open_unnamed(&self, folder: &Path, bits: u32) -> io::Result<File> {
        let file = fs::open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode(bits));
        let file = file.map_err(|error| match error {
            // Older kernels try to open the folder itself, and fail because it is a folder.
            Errno::ISDIR | Errno::INVAL | Errno::NOENT => io::ErrorKind::Unsupported.into(),
            error => io::Error::from(error),
        })?;
        // Without /proc the file could never be named.
        fs::statat(CWD, descriptor_path(&file), AtFlags::empty())
            .map_err(|_| io::Error::from(io::ErrorKind::Unsupported))?;
        Ok(file.into())
    }

    #[cfg(not(target_os = "linux"))]
    fn open_unnamed(&self, _folder: &Path, _bits: u32) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn open_new(&self, path: &Path, bits: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(fs::open(path, flags, mode(bits))?.into())
    }

    fn open_stream(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(fs::open(path, flags, Mode::empty())?.into())
    }

    #[expect(clippy::disallowed_methods, reason = "nothing is written here")]
    fn open_output(&self) -> io::Result<File> {
        Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
    }

    fn open_spool(&self) -> io::Result<File> {
        tempfile::tempfile()
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    fn set_mode(&self, file: &File, bits: u32) -> io::Result<()> {
        Ok(fs::fchmod(file, mode(bits))?)
    }

    fn set_owner(&self, file: &File, (user, group): (u32, u32)) -> io::Result<()> {
        let (user, group) = (fs::Uid::from_raw(user), fs::Gid::from_raw(group));
        Ok(fs::fchown(file, Some(user), Some(group))?)
    }

    fn link(&self, file: &File, path: &Path) -> io::Result<()> {
        let from = descriptor_path(file);
        Ok(fs::linkat(CWD, from, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match rename_without_replacing(from, to) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            result => return result,
        }
        // Adding the second name fails if it is taken; then the first name is removed.
        std::fs::hard_link(from, to)?;
        std::fs::remove_file(from)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        std::fs::DirBuilder::new().mode(mode).create(path)
    }

    fn is_empty(&self, folder: &Path) -> io::Result<bool> {
        Ok(std::fs::read_dir(folder)?.next().is_none())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir(path)
    }

    fn token(&self) -> u64 {
        // The keys come from the operating system's randomness; the process id separates forked
        // processes.
        RandomState::new().hash_one(std::process::id())
    }
}

/// Returns the path with which a process can name an open file.
fn descriptor_path(file: &impl std::os::fd::AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

#[cfg(target_os = "linux")]
fn rename_without_replacing(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::RenameFlags;
    fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(|error| match error {
        Errno::INVAL | Errno::NOSYS => io::ErrorKind::Unsupported.into(),
        error => error.into(),
    })
}

#[cfg(not(target_os = "linux"))]
fn rename_without_replacing(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
