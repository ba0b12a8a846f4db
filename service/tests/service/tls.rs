// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The service over TLS.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use halimede_device::Device;
use halimede_service::{ClientError, Options, Running, ServeError, Server, TlsFiles, Trust};
use rcgen::{generate_simple_self_signed, CertifiedKey};
use serde_json::json;
use tempfile::TempDir;

use crate::common::{client, connect, exchange, options, rest, start, with_limits, PATIENCE};

const NAME: &str = "halimede.example";
const HASH: &str = "/v1/blake3/hash";

/// A self-signed certificate with its files, and the trust of a client.
struct Identity {
    folder: TempDir,
    pem: String,
}

impl Identity {
    fn new() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed([NAME.to_owned()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pem = cert.pem();
        std::fs::write(folder.path().join("certificate.pem"), &pem).unwrap();
        write_key(&folder.path().join("key.pem"), signing_key.serialize_pem().as_bytes());
        Self { folder, pem }
    }

    fn files(&self) -> TlsFiles {
        let file = |name| self.folder.path().join(name);
        TlsFiles { certificates: file("certificate.pem"), key: file("key.pem") }
    }

    fn trust(&self) -> Trust {
        Trust::new(self.pem.as_bytes(), NAME).unwrap()
    }

    fn server(&self) -> Running {
        start(&with_tls(self.files()))
    }
}

fn with_tls(files: TlsFiles) -> Options {
    Options { tls: Some(files), hosts: vec![NAME.into()], ..options() }
}

fn write_key(path: &Path, content: &[u8]) {
    std::fs::write(path, content).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn refused(files: TlsFiles) -> String {
    match Server::bind(Arc::new(Device::cpu()), &with_tls(files)) {
        Err(ServeError::Tls { path, reason }) => format!("{}: {reason}", path.display()),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it starts"),
    }
}

#[test]
fn answers_are_those_without_it() {
    let identity = Identity::new();
    let (server, plain) = (identity.server(), start(&options()));
    let secure = client(&server).tls(identity.trust());
    for count in [1, 2, 3000] {
        let items: Vec<_> = (0..count)
            .map(|number: usize| json!({ "message": format!("{:02x}", number % 251).repeat(number % 40) }))
            .collect();
        let answers = secure.call(HASH, &items).unwrap();
        assert_eq!(answers, client(&plain).call(HASH, &items).unwrap());
    }
    drop(secure);
    assert!(server.end());
}

#[test]
fn a_client_trusts_nobody_else() {
    let (identity, other) = (Identity::new(), Identity::new());
    let server = identity.server();
    let another_name = Trust::new(identity.pem.as_bytes(), "elsewhere.example").unwrap();
    for trust in [other.trust(), another_name] {
        let error = client(&server).tls(trust).call(HASH, &[json!({ "message": "" })]);
        assert!(matches!(error, Err(ClientError::Connection(_))), "{error:?}");
    }
    assert!(matches!(Trust::new(b"no certificate", NAME), Err(ClientError::Trust(_))));
    assert!(matches!(Trust::new(identity.pem.as_bytes(), "a name"), Err(ClientError::Trust(_))));
}

#[test]
fn what_is_no_tls_is_not_answered() {
    let identity = Identity::new();
    let server = identity.server();
    let plain = exchange(&server, b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert!(!plain.contains("HTTP"), "{plain}");
    assert!(client(&server).call(HASH, &[json!({ "message": "" })]).is_err());
    // Afterwards, the server still answers others.
    let secure = client(&server).tls(identity.trust());
    assert_eq!(secure.call(HASH, &[json!({ "message": "" })]).unwrap().len(), 1);
}

#[test]
fn a_handshake_that_does_not_go_on_is_ended() {
    let identity = Identity::new();
    let limits = with_limits(|limits| limits.header_time = PATIENCE / 600);
    let server = start(&Options { tls: Some(identity.files()), ..limits });
    let mut stream = connect(&server);
    // The beginning of a handshake record.
    stream.write_all(&[22, 3, 1]).unwrap();
    assert_eq!(rest(&mut stream), "");
}

#[test]
fn files_that_are_not_right_are_refused() {
    let (identity, other) = (Identity::new(), Identity::new());
    let files = identity.files();
    let absent = identity.folder.path().join("none");
    let error = refused(TlsFiles { certificates: absent.clone(), ..files.clone() });
    assert!(error.contains("none: "), "{error}");
    let error = refused(TlsFiles { key: absent, ..files.clone() });
    assert!(error.contains("none: "), "{error}");
    let error = refused(TlsFiles { certificates: files.key.clone(), ..files.clone() });
    assert!(error.contains("no certificate"), "{error}");
    let error = refused(TlsFiles { key: other.files().key, ..files.clone() });
    assert!(error.contains("key.pem: "), "{error}");
    let key = std::fs::read(&files.key).unwrap();
    std::fs::set_permissions(&files.key, std::fs::Permissions::from_mode(0o640)).unwrap();
    let error = refused(files.clone());
    assert!(error.contains("chmod 600") && !error.contains("BEGIN"), "{error}");
    for wrong in [&b""[..], b"\xff\xfe", &key[..key.len() / 2]] {
        write_key(&files.key, wrong);
        let error = refused(files.clone());
        assert!(error.contains("key.pem: "), "{error}");
    }
}
