// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hash mode of the options, and its key.

use std::fs::File;
use std::io::{stdin, ErrorKind, Read};
use std::os::fd::AsFd;

use halimede_blake3::{Mode, KEY_BYTES};
use zeroize::{Zeroize, Zeroizing};

use crate::arguments::HashFilesOptions;
use crate::error::CommandError;

/// Returns the hash mode. Reads the key of the keyed mode.
pub fn mode(options: &HashFilesOptions) -> Result<Mode, CommandError> {
    match &options.derive_key {
        Some(context) => Ok(Mode::derive_key(context)),
        None if options.keyed => read_key(),
        None => Ok(Mode::Hash),
    }
}

/// Reads the key of the keyed mode from standard input, without the buffer that the standard
/// library keeps for it, which could not be wiped.
fn read_key() -> Result<Mode, CommandError> {
    let input_error = |source| CommandError::Checksum(format!("standard input: {source}"));
    let mut input = File::from(stdin().as_fd().try_clone_to_owned().map_err(input_error)?);
    // One byte more than a key, to detect longer inputs.
    let mut bytes = Zeroizing::new([0; KEY_BYTES + 1]);
    let mut got = 0;
    while got < bytes.len() {
        match input.read(&mut bytes[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(input_error(error)),
        }
    }
    if got != KEY_BYTES {
        let got = if got > KEY_BYTES { "more".into() } else { format!("{got}") };
        let reason = format!("expected a key of {KEY_BYTES} bytes on standard input, got {got}");
        return Err(CommandError::Checksum(reason));
    }
    let mut key = [0; KEY_BYTES];
    key.copy_from_slice(&bytes[..KEY_BYTES]);
    let mode = Mode::Keyed(key);
    key.zeroize();
    Ok(mode)
}
