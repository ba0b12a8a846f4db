// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files that their owner alone may read.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use halimede_files::read_to_limit;
use zeroize::Zeroizing;

/// Most bytes of such a file.
const MOST_BYTES: u64 = 1 << 20;

/// What stands in a file that nobody but its owner may read or write, or why it is refused.
pub fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!(
            "others than its owner may read or write it (mode {mode:03o}): chmod 600"
        ));
    }
    read_to_limit(file, MOST_BYTES).map(Zeroizing::new).map_err(|error| error.to_string())
}
