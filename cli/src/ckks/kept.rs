// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files that `halimede ckks run --checkpoint` stores next to the checkpoints to resume a run:
//! the keys, and the encrypted inputs until their results are known.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use halimede_ckks::files::{expect_end, open_secret_file};
use halimede_ckks::sampling::Random;
use halimede_ckks::{Client, EvaluationKeys, FileError};
use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::{Ciphertexts, NetworkClient};
use halimede_files::read_to_limit;
use zeroize::Zeroizing;

use super::keygen::make_keys;
use super::messages::{bad_input, of_file, of_network};
use super::open::open_secret;
use super::write::write_secret_file;
use crate::error::CommandError;
use crate::files::{create_secret_folder, open_file, write_error};

/// The file that only its owner may read.
const SECRET: &str = "secret.key";
/// The keys of the server.
const KEYS: &str = "evaluation.keys";
/// The secret of the names of encrypted inputs. Names are keyed hashes of the values: an unkeyed
/// hash would let anyone who sees a name test guesses of the values.
const NAMES: &str = "names.key";
/// The length of that secret, in bytes.
const NAMES_BYTES: usize = 32;
/// The extension of the files of encrypted inputs.
const INPUT: &str = "input";

/// The keys of a run.
pub struct Parties {
    pub owner: Client,
    pub keys: EvaluationKeys,
    pub kept: Option<RunFolder>,
}

/// The folder of a run, and the secret of its names.
pub struct RunFolder {
    folder: PathBuf,
    names: Zeroizing<[u8; NAMES_BYTES]>,
}

/// Loads the keys of an earlier run from its folder. Makes new keys, and a folder with the mode
/// 0700, if the folder is absent or empty.
pub fn parties(folder: Option<&Path>, interface: &Interface) -> Result<Parties, CommandError> {
    let new = || -> Result<_, CommandError> {
        let mut owner = Client::new(interface.parameters()).map_err(bad_input)?;
        let keys = make_keys(&mut owner, interface.keys().clone());
        Ok((owner, keys))
    };
    let Some(path) = folder else {
        let (owner, keys) = new()?;
        return Ok(Parties { owner, keys, kept: None });
    };
    if path.join(SECRET).exists() {
        return load(path, interface);
    }
    // All keys or none: keys of two runs would not match.
    let mut folder = create_secret_folder(path)?;
    let (owner, keys) = new()?;
    let names = Zeroizing::new(Random::new().map_err(bad_input)?.seed());
    let failed = |name: &str, error: FileError| match error {
        FileError::Io(source) => write_error(&path.join(name))(source),
        error => of_file(&path.join(name))(error),
    };
    // Unbuffered, because a buffer would not be wiped.
    let mut file = folder.file(SECRET, true)?;
    owner.secret().save(&mut file).map_err(|error| failed(SECRET, error))?;
    file.complete()?;
    let mut file = folder.file(NAMES, true)?;
    file.write_all(&*names).map_err(write_error(&path.join(NAMES)))?;
    file.complete()?;
    let mut file = folder.file(KEYS, true)?;
    keys.save(&mut file).map_err(|error| failed(KEYS, error))?;
    file.complete()?;
    folder.complete()?;
    Ok(Parties { owner, keys, kept: Some(RunFolder { folder: path.to_owned(), names }) })
}

fn load(folder: &Path, interface: &Interface) -> Result<Parties, CommandError> {
    // Only the owner can read the folder, even if another program made it.
    let closed = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    closed.map_err(|source| CommandError::File { path: folder.to_owned(), source })?;
    let path = folder.join(KEYS);
    let (mut file, _) = open_file(&path)?;
    let read = || {
        let keys = EvaluationKeys::load(&mut file, interface.parameters())?;
        expect_end(file)?;
        Ok(keys)
    };
    let keys = read().map_err(of_file(&path))?;
    let owner = Client::with_secret(open_secret(&folder.join(SECRET))?).map_err(bad_input)?;
    let kept =
        Some(RunFolder { folder: folder.to_owned(), names: load_names(&folder.join(NAMES))? });
    Ok(Parties { owner, keys, kept })
}

/// Reads the secret of the names from a file that only its owner can read.
fn load_names(path: &Path) -> Result<Zeroizing<[u8; NAMES_BYTES]>, CommandError> {
    let file = open_secret_file(path).map_err(of_file(path))?;
    let read = read_to_limit(file, NAMES_BYTES as u64);
    let read = read.map_err(|source| CommandError::File { path: path.to_owned(), source })?;
    let read = Zeroizing::new(read);
    let names = <[u8; NAMES_BYTES]>::try_from(&read[..]).map_err(|_| {
        let (path, got) = (path.display(), read.len());
        bad_input(format!("{path}: expected {NAMES_BYTES} bytes, got {got}"))
    })?;
    Ok(Zeroizing::new(names))
}

impl RunFolder {
    /// Returns the path of the encrypted inputs of a run, a hash under the secret of the folder.
    fn path(&self, interface: &Interface, inputs: &[Vec<f64>]) -> Result<PathBuf, CommandError> {
        let mut hasher = blake3::Hasher::new_keyed(&self.names);
        interface.save(&mut hasher).map_err(bad_input)?;
        for value in inputs.iter().flatten() {
            hasher.update(&value.to_le_bytes());
        }
        Ok(self.folder.join(format!("{}.{INPUT}", hasher.finalize().to_hex())))
    }
}

/// Encrypts the inputs of a run, or loads the ciphertexts of an earlier run of the same network
/// from the folder: a run can only be resumed with the same ciphertexts. Also returns their file,
/// for [`forget`].
pub fn encrypted(
    kept: Option<&RunFolder>,
    client: &mut NetworkClient,
    interface: &Interface,
    inputs: &[Vec<f64>],
) -> Result<(Ciphertexts, Option<PathBuf>), CommandError> {
    let Some(kept) = kept else {
        return Ok((client.encrypt_all(inputs).map_err(|error| of_network(&error))?, None));
    };
    let parameters = interface.parameters();
    let path = kept.path(interface, inputs)?;
    if !path.exists() {
        let encrypted = client.encrypt_all(inputs).map_err(|error| of_network(&error))?;
        write_secret_file(&path, &[], |file| encrypted.save(file, parameters))?;
    }
    // A new ciphertext holds more than its file: every run, also the first, uses the file.
    let (mut file, _) = open_file(&path)?;
    let read = || {
        let encrypted = Ciphertexts::load(&mut file, parameters)?;
        expect_end(file)?;
        Ok(encrypted)
    };
    Ok((read().map_err(of_file(&path))?, Some(path)))
}

/// Removes the encrypted input of a run that has its result.
pub fn forget(input: Option<PathBuf>) -> Result<(), CommandError> {
    let Some(path) = input else { return Ok(()) };
    fs::remove_file(&path).map_err(|source| CommandError::File { path, source })
}
