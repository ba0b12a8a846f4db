// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files that appear when they are complete.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::error::OutputError;
use crate::staging::{check_name, folder_of, is_not_for_sync, Files};
use crate::system::{Kind, Status, System};

/// The permissions of a file that only its owner can read.
const SECRET: u32 = 0o600;
/// The permissions of other new files, before the process's mask.
const PUBLIC: u32 = 0o666;
const COPY_BYTES: usize = 1 << 16;

/// Options of an output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'i> {
    /// The inputs of the output, `-` for standard input. The output must not be one of them.
    pub inputs: &'i [&'i Path],
    /// Makes the output readable only by its owner, even if it replaces a file that others can
    /// read.
    pub is_secret: bool,
    /// Makes an existing path an error.
    pub is_new: bool,
    /// Allows reads and writes at any position. A device or a FIFO is then written only when the
    /// output is complete.
    pub seeks: bool,
}

/// An output that is being written. If it is dropped before [`OutputIn::complete`], it leaves
/// nothing.
#[derive(Debug)]
pub struct OutputIn<'f, S: System> {
    files: &'f Files<S>,
    /// The path as the caller wrote it.
    path: PathBuf,
    file: S::File,
    place: Destination<S::File>,
}

/// The destination of the content.
#[derive(Debug)]
enum Destination<F> {
    /// A stream, which is written directly.
    Stream,
    /// This stream, which is written when the output is complete.
    Spooled(F),
    /// A new file, which then takes this name.
    Target(Target),
    /// The output is complete.
    Completed,
}

#[derive(Debug)]
struct Target {
    path: PathBuf,
    /// The temporary name of the new file, if it has one.
    temporary: Option<PathBuf>,
    /// The file that is replaced.
    replaced: Option<Status>,
    is_new: bool,
    is_secret: bool,
}

impl<'f, S: System> OutputIn<'f, S> {
    /// Begins an output at a path.
    ///
    /// # Errors
    /// [`OutputError`] if the folder does not exist or is not writable, if the output is one of the
    /// inputs or a dangling link, or if the path exists and cannot be replaced.
    pub fn create(
        files: &'f Files<S>,
        path: &Path,
        options: &Options,
    ) -> Result<Self, OutputError> {
        let failed = OutputError::io(path);
        // The kernel follows the links here, with its protections against links of other users.
        let found = files.system.look(path, true).map_err(&failed)?;
        let (file, place) = match found {
            Some(status) if status.kind == Kind::Folder => {
                return Err(failed(Errno::ISDIR.into()));
            }
            Some(status) if status.kind == Kind::Socket => {
                return Err(failed(io::Error::other("a socket is not an output")));
            }
            Some(status) if status.kind == Kind::Stream => {
                let stream = files.system.open_stream(path).map_err(&failed)?;
                streamed(files, stream, options).map_err(&failed)?
            }
            Some(status) => {
                check_replaced(files, path, status, options)?;
                // For example `/dev/stdout`: continues the file that the shell opened.
                match files.system.look_at_output() {
                    Ok(output) if output.id == status.id => {
                        let stream = files.system.open_output().map_err(&failed)?;
                        streamed(files, stream, options).map_err(&failed)?
                    }
                    _ => Self::new_file(files, path, Some(status), options).map_err(&failed)?,
                }
            }
            None => {
                files.refuse_dangling(path)?;
                Self::new_file(files, path, None, options).map_err(&failed)?
            }
        };
        Ok(Self { files, path: path.to_path_buf(), file, place })
    }

    /// Creates a new file in the target's folder, without a name if the file system supports that:
    /// an unnamed file vanishes however the process ends.
    fn new_file(
        files: &Files<S>,
        path: &Path,
        replaced: Option<Status>,
        options: &Options,
    ) -> io::Result<(S::File, Destination<S::File>)> {
        check_name(path)?;
        let path = files.resolve(path)?;
        check_name(&path)?;
        let folder = folder_of(&path);
        // A file that replaces another one gets its permissions when it is complete.
        let is_secret = options.is_secret || replaced.is_some();
        let mode = if is_secret { SECRET } else { PUBLIC };
        let (file, temporary) = match files.system.open_unnamed(folder, mode) {
            Ok(file) => (file, None),
            Err(_) => {
                let mut temporaries = files.temporaries();
                let open = |path: &Path| files.system.open_new(path, mode);
                let (file, temporary) = files.with_fresh_name(folder, open)?;
                temporaries.add(&temporary);
                (file, Some(temporary))
            }
        };
        let Options { is_new, .. } = *options;
        let target = Target { path, temporary, replaced, is_new, is_secret: options.is_secret };
        if is_secret {
            // The process's mask removes bits, and the folder's access lists may add some.
            if let Err(error) = files.system.set_mode(&file, SECRET) {
                target.discard(files);
                return Err(error);
            }
        }
        Ok((file, Destination::Target(target)))
    }

    /// The path of the output, as the caller wrote it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file to disk, gives it its name, replacing an existing file, and writes the
    /// folder to disk.
    ///
    /// # Errors
    /// [`OutputError`]. The path is then unchanged, unless only the last step failed: then the path
    /// has the new content, which may not survive a loss of power.
    pub fn complete(mut self) -> Result<(), OutputError> {
        let place = std::mem::replace(&mut self.place, Destination::Completed);
        let failed = OutputError::io(&self.path);
        match place {
            Destination::Completed => Ok(()),
            Destination::Stream => sync_stream(self.files, &self.file).map_err(failed),
            Destination::Spooled(mut stream) => {
                let copied = self.file.rewind().and_then(|()| copy(&mut self.file, &mut stream));
                copied.and_then(|()| sync_stream(self.files, &stream)).map_err(failed)
            }
            Destination::Target(target) => {
                let finished = target.finish(self.files, &self.file);
                if finished.is_err() {
                    target.discard(self.files);
                }
                finished.map_err(|source| match source.kind() {
                    ErrorKind::AlreadyExists => OutputError::Exists { path: self.path.clone() },
                    _ => failed(source),
                })
            }
        }
    }
}

impl Target {
    fn finish<S: System>(&self, files: &Files<S>, file: &S::File) -> io::Result<()> {
        if let Some(replaced) = &self.replaced {
            keep_access(&files.system, file, replaced, self.is_secret)?;
        }
        files.system.sync(file)?;
        match &self.temporary {
            Some(temporary) => {
                let mut temporaries = files.temporaries();
                self.rename(&files.system, temporary)?;
                temporaries.forget(temporary);
            }
            None => self.name(files, file)?,
        }
        files.settle(folder_of(&self.path))
    }

    /// Names an unnamed file: directly if the name is free, otherwise by a temporary name.
    fn name<S: System>(&self, files: &Files<S>, file: &S::File) -> io::Result<()> {
        if self.is_new || self.replaced.is_none() {
            match files.system.link(file, &self.path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && !self.is_new => {}
                linked => return linked,
            }
        }
        // Excludes interrupts while the file has its temporary name.
        let _temporaries = files.temporaries();
        let link = |path: &Path| files.system.link(file, path);
        let ((), temporary) = files.with_fresh_name(folder_of(&self.path), link)?;
        let renamed = self.rename(&files.system, &temporary);
        if renamed.is_err() {
            // The caller should get the first error.
            let _ = files.system.remove(&temporary);
        }
        renamed
    }

    fn rename<S: System>(&self, system: &S, from: &Path) -> io::Result<()> {
        match self.is_new {
            true => system.rename_new(from, &self.path),
            false => system.rename(from, &self.path),
        }
    }

    /// Removes the temporary name of the new file.
    fn discard<S: System>(&self, files: &Files<S>) {
        if let Some(temporary) = &self.temporary {
            let mut temporaries = files.temporaries();
            // Ignores failures: the name of a leftover file identifies it as temporary.
            let _ = files.system.remove(temporary);
            temporaries.forget(temporary);
        }
    }
}

impl<S: System> Drop for OutputIn<'_, S> {
    fn drop(&mut self) {
        if let Destination::Target(target) = &self.place {
            target.discard(self.files);
        }
    }
}

impl<S: System> Write for OutputIn<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<S: System> Read for OutputIn<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl<S: System> Seek for OutputIn<'_, S> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// Returns the file and the place of an output to a stream.
fn streamed<S: System>(
    files: &Files<S>,
    stream: S::File,
    options: &Options,
) -> io::Result<(S::File, Destination<S::File>)> {
    match options.seeks {
        true => Ok((files.system.open_spool()?, Destination::Spooled(stream))),
        false => Ok((stream, Destination::Stream)),
    }
}

/// Checks that a file may be replaced.
fn check_replaced<S: System>(
    files: &Files<S>,
    path: &Path,
    found: Status,
    options: &Options,
) -> Result<(), OutputError> {
    let is_found = |input: &Path| {
        let status = match input == Path::new("-") {
            true => files.system.look_at_input().map(Some),
            false => files.system.look(input, true),
        };
        status.is_ok_and(|status| status.is_some_and(|status| status.id == found.id))
    };
    if options.inputs.iter().any(|input| is_found(input)) {
        return Err(OutputError::Input { path: path.to_path_buf() });
    }
    if options.is_new {
        return Err(OutputError::Exists { path: path.to_path_buf() });
    }
    files.system.check_writable(path).map_err(OutputError::io(path))
}

/// Gives a file the owner and the permissions of the file that it replaces. If the owner cannot be
/// kept, nobody gets more permissions than before.
///
/// A secret file stays readable only by its owner.
fn keep_access<S: System>(
    system: &S,
    file: &S::File,
    replaced: &Status,
    is_secret: bool,
) -> io::Result<()> {
    let others = replaced.mode & 0o007;
    let is_kept = system.look_at(file)?.owner == replaced.owner
        || system.set_owner(file, replaced.owner).is_ok();
    let mode = match is_kept {
        true => replaced.mode & 0o777,
        false => replaced.mode & (0o700 | others << 3 | others),
    };
    system.set_mode(file, if is_secret { mode & SECRET } else { mode })
}

/// Waits until a stream is on disk; does nothing for pipes and terminals.
fn sync_stream<S: System>(files: &Files<S>, stream: &S::File) -> io::Result<()> {
    match files.system.sync(stream) {
        Err(error) if is_not_for_sync(error.kind()) => Ok(()),
        result => result,
    }
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return to.flush(),
            Ok(got) => to.write_all(&buffer[..got])?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
