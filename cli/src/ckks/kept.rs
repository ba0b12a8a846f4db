// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `halimede ckks run --checkpoint` keeps beside the checkpoints, so that a run that was ended goes on:
//! the keys, and inputs as they were encrypted until they have their results.

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

use super::messages::of_network;
use super::{bad_input, make_keys, of_file, open_secret, write_secret_file};
use crate::error::CommandError;
use crate::files::{create_secret_folder, open_file, write_error};

/// The file that only its owner may read.
const SECRET: &str = "secret.key";
/// The keys of the server.
const KEYS: &str = "evaluation.keys";
/// The secret by which encrypted inputs are named: a hash without one would tell whoever sees the name
/// whether a guess of the values is right.
const NAMES: &str = "names.key";
/// The bytes of that secret.
const NAMES_BYTES: usize = 32;
/// What names of encrypted inputs end with.
const INPUT: &str = "input";

/// The keys of a run.
pub struct Parties {
    pub owner: Client,
    pub keys: EvaluationKeys,
    pub kept: Option<RunFolder>,
}

/// A folder of a run, and the secret of the names in it.
pub struct RunFolder {
    folder: PathBuf,
    names: Zeroizing<[u8; NAMES_BYTES]>,
}

/// The keys of a folder that an earlier run left; new ones, which the folder is made with, where there is no
/// folder or an empty one. The folder has the mode 0700.
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
    // All keys or none: those of two runs would not fit each other.
    let mut folder = create_secret_folder(path)?;
    let (owner, keys) = new()?;
    let names = Zeroizing::new(Random::new().map_err(bad_input)?.seed());
    let failed = |name: &str, error: FileError| match error {
        FileError::Io(source) => write_error(&path.join(name))(source),
        error => of_file(&path.join(name))(error),
    };
    // No buffer would be wiped of what goes through it.
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
    // Nobody else looks into it, whatever made it.
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

/// The secret of names, from a file that its owner alone can read.
fn load_names(path: &Path) -> Result<Zeroizing<[u8; NAMES_BYTES]>, CommandError> {
    let file = open_secret_file(path).map_err(of_file(path))?;
    let read = read_to_limit(file, NAMES_BYTES as u64);
    let read = read.map_err(|source| CommandError::File { path: path.to_owned(), source })?;
    let read = Zeroizing::new(read);
    let names = <[u8; NAMES_BYTES]>::try_from(&read[..]).map_err(|_| {
        let (path, got) = (path.display(), read.len());
        bad_input(format!("{path}: {got} bytes, and {NAMES_BYTES} belong there"))
    })?;
    Ok(Zeroizing::new(names))
}

impl RunFolder {
    /// Where the encrypted inputs of a run are, by a hash under the folder's secret.
    fn path(&self, interface: &Interface, inputs: &[Vec<f64>]) -> Result<PathBuf, CommandError> {
        let mut hasher = blake3::Hasher::new_keyed(&self.names);
        interface.save(&mut hasher).map_err(bad_input)?;
        for value in inputs.iter().flatten() {
            hasher.update(&value.to_le_bytes());
        }
        Ok(self.folder.join(format!("{}.{INPUT}", hasher.finalize().to_hex())))
    }
}

/// The inputs of a run, encrypted; in a folder the ciphertexts that an earlier run of the same network was
/// given, for a run goes on with the same ones only. Their file, for [`forget`].
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
    // What is known of a new ciphertext is more than its file tells: all runs take the file's.
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
