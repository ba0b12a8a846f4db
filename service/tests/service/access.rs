// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Access to a server: addresses, tokens, host names.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use halimede_device::Device;
use halimede_service::{ClientError, Options, ServeError, Server};
use serde_json::json;

use crate::common::{client, exchange, options, start};

const HASH: &str = "/v1/blake3/hash";
const TOKEN: &str = "0123456789abcdef-second";

fn write_tokens(path: &Path, mode: u32) {
    std::fs::write(path, format!("first 0123456789abcdef-first\nsecond {TOKEN}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn refused(options: &Options) -> ServeError {
    match Server::bind(Arc::new(Device::cpu()), options) {
        Err(error) => error,
        Ok(_) => panic!("it starts"),
    }
}

#[test]
fn other_addresses_need_tokens() {
    let open = Options { listen: "0.0.0.0:0".parse().unwrap(), ..options() };
    assert!(matches!(refused(&open), ServeError::Open { .. }));
    let open6 = Options { listen: "[::]:0".parse().unwrap(), ..options() };
    assert!(matches!(refused(&open6), ServeError::Open { .. }));
    let allowed = Options { allow_anyone: true, ..open.clone() };
    assert!(Server::bind(Arc::new(Device::cpu()), &allowed).is_ok());
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    write_tokens(&tokens, 0o600);
    let with_tokens = Options { tokens: Some(tokens), ..open };
    assert!(Server::bind(Arc::new(Device::cpu()), &with_tokens).is_ok());
}

#[test]
fn others_may_not_read_the_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    for mode in [0o640, 0o604, 0o666, 0o620] {
        write_tokens(&tokens, mode);
        let error = refused(&Options { tokens: Some(tokens.clone()), ..options() });
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
    let absent = Options { tokens: Some(folder.path().join("none")), ..options() };
    assert!(matches!(refused(&absent), ServeError::Tokens { .. }));
}

#[test]
fn requests_need_a_token_where_there_are_some() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    write_tokens(&tokens, 0o600);
    let server = start(&Options { tokens: Some(tokens), ..options() });
    let items = [json!({ "message": "00" })];
    for token in ["", "0123456789abcdef-secon", "0123456789abcdef-second0", "second"] {
        let client = client(&server).token(token);
        let error = client.call(HASH, &items).unwrap_err();
        assert!(matches!(error, ClientError::Refused { status: 401, .. }), "{error}");
        for path in ["/metrics", "/events", "/v1/objects", "/v1/unknown"] {
            let answer = client.send("GET", path, "", &[]).unwrap();
            assert_eq!(answer.status, 401, "{path}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            assert!(!String::from_utf8(answer.body).unwrap().contains("0123"));
        }
        for path in ["/healthz", "/readyz", "/openapi.json", "/"] {
            assert_eq!(client.send("GET", path, "", &[]).unwrap().status, 200, "{path}");
        }
    }
    assert_eq!(client(&server).token(TOKEN).call(HASH, &items).unwrap().len(), 1);
    // The scheme is case-insensitive, and the header may occur only once.
    let status = |headers: &str| {
        let request = format!(
            "GET /metrics HTTP/1.1\r\nhost: anything\r\nconnection: close\r\n{headers}\r\n"
        );
        exchange(&server, request.as_bytes()).split(' ').nth(1).unwrap_or_default().to_owned()
    };
    for scheme in ["Bearer", "bearer", "BEARER"] {
        assert_eq!(status(&format!("authorization: {scheme} {TOKEN}\r\n")), "200", "{scheme}");
    }
    for scheme in ["Basic", "Bearers", ""] {
        assert_eq!(status(&format!("authorization: {scheme} {TOKEN}\r\n")), "401", "{scheme}");
    }
    let twice = format!("authorization: Bearer {TOKEN}\r\n").repeat(2);
    assert_eq!(status(&twice), "401");
    // A token in the query is ignored.
    let path = format!("{HASH}?token={TOKEN}");
    assert!(client(&server).call(&path, &items).is_err());
}

#[test]
fn a_server_without_tokens_answers_to_its_own_names() {
    let options = Options { hosts: vec!["proxy.example".into()], ..options() };
    let server = start(&options);
    let status = |host: &str| {
        let request = format!("GET /healthz HTTP/1.1\r\n{host}connection: close\r\n\r\n");
        exchange(&server, request.as_bytes()).split(' ').nth(1).unwrap_or_default().to_owned()
    };
    for host in [
        "localhost",
        "LOCALHOST:8480",
        "127.0.0.1:1",
        "127.1.2.3",
        "[::1]:8480",
        "proxy.example:80",
    ] {
        assert_eq!(status(&format!("host: {host}\r\n")), "200", "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "[::2]:8480",
        "",
        "127.0.0.1.evil.example",
    ] {
        assert_eq!(status(&format!("host: {host}\r\n")), "421", "{host}");
    }
    for host in ["[", "[::1]evil", "127.0.0.1:8491.evil", "localhost:99999", "localhost:80:80"] {
        assert_eq!(status(&format!("host: {host}\r\n")), "400", "{host}");
    }
    // Without a host, and with two.
    assert_eq!(status(""), "400");
    assert_eq!(status("host: localhost\r\nhost: localhost\r\n"), "400");
    assert_eq!(status("host: localhost\r\nhost: evil.example\r\n"), "400");
    let old = exchange(&server, b"GET /healthz HTTP/1.0\r\n\r\n");
    assert!(old.starts_with("HTTP/1.0 200"), "{old}");
    // A host in the target takes precedence.
    let request = |target: &str| {
        let request =
            format!("GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        exchange(&server, request.as_bytes())
    };
    assert!(request("http://localhost/healthz").starts_with("HTTP/1.1 200"));
    assert!(request("http://evil.example/healthz").starts_with("HTTP/1.1 421"));
}
