// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Pages of other origins.

use std::os::unix::fs::PermissionsExt;

use halimede_service::Options;

use crate::common::{exchange, options, start};

const PAGE: &str = "https://page.example";

fn ask(server: &halimede_service::Running, method: &str, path: &str, headers: &str) -> String {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n"
    );
    exchange(server, request.as_bytes()).to_lowercase()
}

#[test]
fn only_pages_of_allowed_origins_read_answers() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "one 0123456789abcdef-one\n").unwrap();
    std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600)).unwrap();
    let origins = vec![PAGE.to_owned()];
    let server = start(&Options { tokens: Some(tokens), origins, ..options() });
    let preflight = |origin: &str| {
        let method = "access-control-request-method: POST\r\n";
        ask(&server, "OPTIONS", "/v1/networks", &format!("origin: {origin}\r\n{method}"))
    };
    let allowed = format!("access-control-allow-origin: {PAGE}\r\n");
    let answer = preflight(PAGE);
    assert!(answer.starts_with("http/1.1 204") && answer.contains(&allowed), "{answer}");
    assert!(answer.contains("authorization, content-type"), "{answer}");
    for other in ["https://other.example", "null", "https://page.example.evil", ""] {
        let answer = preflight(other);
        assert!(!answer.starts_with("http/1.1 204"), "{other}: {answer}");
        assert!(!answer.contains("access-control"), "{other}: {answer}");
    }
    // The page reads refusals and answers; a preflight request replaces no token.
    let answer = ask(&server, "GET", "/v1/networks", &format!("origin: {PAGE}\r\n"));
    assert!(answer.starts_with("http/1.1 401") && answer.contains(&allowed), "{answer}");
    let token = "authorization: Bearer 0123456789abcdef-one\r\n";
    let answer = ask(&server, "GET", "/v1/networks", &format!("origin: {PAGE}\r\n{token}"));
    assert!(answer.starts_with("http/1.1 200") && answer.contains(&allowed), "{answer}");
    let answer = ask(&server, "OPTIONS", "/v1/networks", &format!("origin: {PAGE}\r\n"));
    assert!(answer.starts_with("http/1.1 401"), "{answer}");
    let silent = start(&options());
    let answer = ask(&silent, "GET", "/v1/networks", &format!("origin: {PAGE}\r\n"));
    assert!(answer.starts_with("http/1.1 200") && !answer.contains("access-control"), "{answer}");
}
