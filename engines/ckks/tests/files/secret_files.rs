// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Secret keys are in files that nobody else can read.
#![cfg(unix)]

use std::fs::{metadata, set_permissions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;

use halimede_ckks::files::open_secret_file;
use halimede_ckks::keys::SecretKey;
use halimede_ckks::{Client, FileError, Parameters};

#[test]
fn a_secret_key_file_is_its_owners_alone() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let client = Client::of_test(&parameters, 51);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.key");
    client.secret().create_file(&path).unwrap();
    assert_eq!(metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    let loaded = SecretKey::open_file(&path, &parameters).unwrap();
    let [mut ours, mut theirs] = [Vec::new(), Vec::new()];
    client.secret().save(&mut ours).unwrap();
    loaded.save(&mut theirs).unwrap();
    assert_eq!(ours, theirs);
    // A key is never overwritten: it may be the only copy.
    let error = Client::of_test(&parameters, 52).secret().create_file(&path).unwrap_err();
    assert!(matches!(&error, FileError::Io(error) if error.kind() == ErrorKind::AlreadyExists));
    assert_eq!(std::fs::read(&path).unwrap(), ours);
    for mode in [0o640, 0o604, 0o610, 0o601, 0o620, 0o602, 0o644, 0o666, 0o777] {
        set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let error = SecretKey::open_file(&path, &parameters).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, FileError::Permissions { mode: got, .. } if got == mode), "{text}");
        assert!(text.contains("chmod 600") && text.contains("secret.key"), "{text}");
        assert!(text.contains(&format!("{mode:04o}")), "{text}");
    }
    for mode in [0o400, 0o700] {
        set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        assert!(SecretKey::open_file(&path, &parameters).is_ok());
    }
}

#[test]
fn what_follows_or_is_missing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.key");
    let error = open_secret_file(&path).unwrap_err();
    assert!(matches!(&error, FileError::Io(error) if error.kind() == ErrorKind::NotFound));
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let client = Client::of_test(&parameters, 53);
    client.secret().create_file(&path).unwrap();
    std::fs::File::options().append(true).open(&path).unwrap().write_all(b"\n").unwrap();
    let error = SecretKey::open_file(&path, &parameters).unwrap_err();
    assert!(matches!(error, FileError::Longer), "{error}");
    let error = client.secret().create_file(&folder.path().join("none/secret.key")).unwrap_err();
    assert!(matches!(&error, FileError::Io(error) if error.kind() == ErrorKind::NotFound));
}
