// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card's AXI4-Lite registers, as a device file or as mapped memory.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::memory::Memory;
use crate::error::CardError;
use crate::spec::Register;

/// The bytes of the card's register space.
const WINDOW_BYTES: usize = 0x1_0000;

/// The card's registers: 32-bit words at their byte addresses.
#[derive(Debug)]
pub struct RegisterWindow {
    access: Access,
    path: PathBuf,
}

#[derive(Debug)]
enum Access {
    File(File),
    Memory(Memory),
}

impl RegisterWindow {
    /// Opens a window that is read and written as a file, such as a device of the XDMA driver.
    ///
    /// # Errors
    /// [`CardError::Io`].
    pub fn open(path: PathBuf) -> Result<Self, CardError> {
        let file = open(&path)?;
        Ok(Self { access: Access::File(file), path })
    }

    /// Opens a window that is mapped into memory, such as a resource of a PCI function.
    ///
    /// # Errors
    /// [`CardError::Io`] if the file cannot be mapped or is shorter than the card's registers.
    pub fn map(path: PathBuf) -> Result<Self, CardError> {
        let memory = Memory::map(&open(&path)?, 0, WINDOW_BYTES)
            .map_err(|error| CardError::io("open", &path, error))?;
        Ok(Self { access: Access::Memory(memory), path })
    }

    /// Reads the word at a byte address.
    ///
    /// # Errors
    /// [`CardError::Io`].
    pub fn read(&self, address: u32) -> Result<u32, CardError> {
        let error = |error| CardError::io("read a register of", &self.path, error);
        match &self.access {
            Access::File(file) => {
                let mut word = [0; 4];
                file.read_exact_at(&mut word, u64::from(address)).map_err(error)?;
                Ok(u32::from_le_bytes(word))
            }
            Access::Memory(memory) => {
                let word = memory.read_word(word_of(address).map_err(error)?);
                // Ones are also what is read if nothing answers.
                let id = Register::Id.address() as usize;
                if word == u32::MAX && memory.read_word(id) == u32::MAX {
                    return Err(error(io::Error::other("nothing answers on its bus")));
                }
                Ok(word)
            }
        }
    }

    /// Writes the word at a byte address.
    ///
    /// # Errors
    /// [`CardError::Io`].
    pub fn write(&self, address: u32, value: u32) -> Result<(), CardError> {
        let error = |error| CardError::io("write a register of", &self.path, error);
        match &self.access {
            Access::File(file) => {
                file.write_all_at(&value.to_le_bytes(), u64::from(address)).map_err(error)
            }
            Access::Memory(memory) => {
                memory.write_word(word_of(address).map_err(error)?, value);
                Ok(())
            }
        }
    }
}

/// Opens a file for reads and writes.
pub(super) fn open(path: &Path) -> Result<File, CardError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(|error| CardError::io("open", path, error))
}

/// The offset of a word within the mapped registers.
fn word_of(address: u32) -> io::Result<usize> {
    let offset = address as usize;
    if offset < WINDOW_BYTES && offset.is_multiple_of(4) {
        return Ok(offset);
    }
    let reason = format!("{address:#x} is not the address of a word below {WINDOW_BYTES:#x}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}
