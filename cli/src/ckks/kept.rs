// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `halimede ckks run --checkpoint` keeps beside the checkpoints, so that a run that was ended goes on:
//! the keys, and inputs as they were encrypted until they have their results.

use std::fs;
use std::path::{Path, PathBuf};

use halimede_ckks::files::expect_end;
use halimede_ckks::{Client, EvaluationKeys, FileError};
use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::{NetworkClient, Sealed};

use super::messages::of_network;
use super::{bad_input, make_keys, of_file, open_secret, write_file};
use crate::error::CommandError;
use crate::files::{create_folder, open_file, write_error};

/// The file that only its owner may read.
const SECRET: &str = "secret.key";
/// The keys of the server.
const KEYS: &str = "evaluation.keys";
/// What names of encrypted inputs end with.
const INPUT: &str = "input";

/// The keys of a folder that an earlier run left; new ones, which the folder is made with, where there is no
/// folder or an empty one.
pub fn parties(
    folder: Option<&Path>,
    interface: &Interface,
) -> Result<(Client, EvaluationKeys), CommandError> {
    let new = || -> Result<_, CommandError> {
        let mut owner = Client::new(interface.parameters()).map_err(bad_input)?;
        let keys = make_keys(&mut owner, interface.keys().clone());
        Ok((owner, keys))
    };
    let Some(path) = folder else { return new() };
    if path.join(SECRET).exists() {
        return load(path, interface);
    }
    // Both keys or none: those of two runs would not fit each other.
    let mut folder = create_folder(path)?;
    let (owner, keys) = new()?;
    let failed = |name: &str, error: FileError| match error {
        FileError::Io(source) => write_error(&path.join(name))(source),
        error => of_file(&path.join(name))(error),
    };
    // No buffer would be wiped of what goes through it.
    let mut file = folder.file(SECRET, true)?;
    owner.secret().save(&mut file).map_err(|error| failed(SECRET, error))?;
    file.complete()?;
    let mut file = folder.file(KEYS, true)?;
    keys.save(&mut file).map_err(|error| failed(KEYS, error))?;
    file.complete()?;
    folder.complete()?;
    Ok((owner, keys))
}

fn load(folder: &Path, interface: &Interface) -> Result<(Client, EvaluationKeys), CommandError> {
    let path = folder.join(KEYS);
    let (mut file, _) = open_file(&path)?;
    let read = || {
        let keys = EvaluationKeys::load(&mut file, interface.parameters())?;
        expect_end(file)?;
        Ok(keys)
    };
    let keys = read().map_err(of_file(&path))?;
    let owner = Client::with_secret(open_secret(&folder.join(SECRET))?).map_err(bad_input)?;
    Ok((owner, keys))
}

/// The inputs of a run, encrypted; in a folder the ciphertexts that an earlier run of the same network was
/// given, for a run goes on with the same ones only. Their file, for [`forget`].
pub fn encrypted(
    folder: Option<&Path>,
    client: &mut NetworkClient,
    interface: &Interface,
    inputs: &[Vec<f64>],
) -> Result<(Sealed, Option<PathBuf>), CommandError> {
    let Some(folder) = folder else {
        return Ok((client.encrypt_all(inputs).map_err(|error| of_network(&error))?, None));
    };
    let parameters = interface.parameters();
    // Who can read the name can read the secret key beside it.
    let mut hasher = blake3::Hasher::new_derive_key("Halimede ckks run, a network's input");
    interface.save(&mut hasher).map_err(bad_input)?;
    for value in inputs.iter().flatten() {
        hasher.update(&value.to_le_bytes());
    }
    let path = folder.join(format!("{}.{INPUT}", hasher.finalize().to_hex()));
    if !path.exists() {
        let sealed = client.encrypt_all(inputs).map_err(|error| of_network(&error))?;
        write_file(&path, &[], |file| sealed.save(file, parameters))?;
    }
    // What is known of a new ciphertext is more than its file tells: all runs take the file's.
    let (mut file, _) = open_file(&path)?;
    let read = || {
        let sealed = Sealed::load(&mut file, parameters)?;
        expect_end(file)?;
        Ok(sealed)
    };
    Ok((read().map_err(of_file(&path))?, Some(path)))
}

/// Removes the encrypted input of a run that has its result.
pub fn forget(input: Option<PathBuf>) -> Result<(), CommandError> {
    let Some(path) = input else { return Ok(()) };
    fs::remove_file(&path).map_err(|source| CommandError::File { path, source })
}
