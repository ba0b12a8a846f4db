// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A file that appears when it is whole.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::error::OutputError;
use crate::staging::{check_name, folder_of, is_not_for_sync, Files};
use crate::system::{Kind, Status, System};

/// Permissions of a file that its owner alone can read.
const SECRET: u32 = 0o600;
/// Permissions of other new files, less those that the process's mask takes away.
const PUBLIC: u32 = 0o666;
const COPY_BYTES: usize = 1 << 16;

/// Options of an output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'i> {
    /// What is read to make it, `-` for standard input: the output may not be one of these.
    pub inputs: &'i [&'i Path],
    /// Whether its owner alone may read it, whoever may read what it replaces.
    pub is_secret: bool,
    /// Whether what is there already is an error.
    pub is_new: bool,
    /// Whether it is read or written in another order than from its first byte to its last: a
    /// device or a FIFO is then written to when the output is whole.
    pub seeks: bool,
}

/// An output that is being made. Dropped before [`OutputIn::complete`], it leaves nothing.
#[derive(Debug)]
pub struct OutputIn<'f, S: System> {
    files: &'f Files<S>,
    /// As the caller named it.
    path: PathBuf,
    file: S::File,
    place: Destination<S::File>,
}

/// Where the content goes.
#[derive(Debug)]
enum Destination<F> {
    /// To a stream, byte by byte.
    Stream,
    /// To this stream, when it is whole.
    Spooled(F),
    /// To a new file, which takes this name then.
    Target(Target),
    /// It is there.
    Completed,
}

#[derive(Debug)]
struct Target {
    path: PathBuf,
    /// The name that the new file has until then, where it has one.
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
    /// [`OutputError`] where there is no such folder, where it may not be written to, where the
    /// output is one of the inputs, where it is a link to nothing, or where there is something that
    /// cannot be replaced.
    pub fn create(
        files: &'f Files<S>,
        path: &Path,
        options: &Options,
    ) -> Result<Self, OutputError> {
        let failed = OutputError::io(path);
        // The kernel follows the links here, by its rules for links of others.
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
                // As `/dev/stdout`: what the shell opened goes on being written to.
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

    /// A new file beside the target, without a name where the file system has such files: what
    /// has no name need not be removed, whatever ends the process.
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
        // A file that replaces another gets its permissions when it is whole.
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
            // The mask takes bits away, and access lists of the folder may add some.
            if let Err(error) = files.system.set_mode(&file, SECRET) {
                target.discard(files);
                return Err(error);
            }
        }
        Ok((file, Destination::Target(target)))
    }

    /// The path that the output was asked for at.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, in place of what had it, when it is on the disk; then the name is
    /// brought to the disk as well.
    ///
    /// # Errors
    /// [`OutputError`], and then the path is what it was before; but where the last step alone
    /// fails, it has the new content, which may not survive a loss of power.
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

    /// Names a file without a name: at once where the name is free, else by way of another name.
    fn name<S: System>(&self, files: &Files<S>, file: &S::File) -> io::Result<()> {
        if self.is_new || self.replaced.is_none() {
            match files.system.link(file, &self.path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && !self.is_new => {}
                linked => return linked,
            }
        }
        // Nobody interrupts while the file has its other name.
        let _temporaries = files.temporaries();
        let link = |path: &Path| files.system.link(file, path);
        let ((), temporary) = files.with_fresh_name(folder_of(&self.path), link)?;
        let renamed = self.rename(&files.system, &temporary);
        if renamed.is_err() {
            // What failed is what the caller should hear of.
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

    /// Removes the name that the new file has.
    fn discard<S: System>(&self, files: &Files<S>) {
        if let Some(temporary) = &self.temporary {
            let mut temporaries = files.temporaries();
            // Where it cannot be removed, its name says what it is.
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

/// Where a stream's content is written to first.
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

/// Whether a file may be replaced.
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

/// Gives a file the owner and the permissions of the one that it replaces. Where the owner cannot
/// be kept, nobody may more than before.
///
/// What is secret stays readable by its owner alone.
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

/// Pipes and terminals have nothing to wait for.
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
