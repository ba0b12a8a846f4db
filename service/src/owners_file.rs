// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files that only their owner may read.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use halimede_files::read_to_limit;
use zeroize::Zeroizing;

/// The maximum number of bytes of such a file.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a file that only its owner may read or write, or returns the reason why it is refused.
pub fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!("other users may read or write it (mode {mode:03o}): run chmod 600"));
    }
    read_to_limit(file, MOST_BYTES).map(Zeroizing::new).map_err(|error| error.to_string())
}
