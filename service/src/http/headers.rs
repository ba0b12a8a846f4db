// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The headers for routing, authorization and framing of a request.

use std::net::IpAddr;

use axum::body::Body;
use axum::http::header::{HeaderName, AUTHORIZATION, CONTENT_ENCODING, HOST, TRANSFER_ENCODING};
use axum::http::{HeaderMap, Request, Version};

use crate::refusal::{Reason, Refusal};

/// Refuses transfer codings other than `chunked`, and content codings: the coded bytes would be
/// taken for the body itself (RFC 9112, section 6.1).
///
/// # Errors
/// [`Reason::Coding`].
pub fn check_framing(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    let coding = codings.next();
    let is_chunked = |value: &[u8]| value.eq_ignore_ascii_case(b"chunked");
    if coding.is_some_and(|value| !is_chunked(value.as_bytes())) || codings.next().is_some() {
        let message = "the only supported Transfer-Encoding is `chunked`, once";
        return Err(Refusal::new(Reason::Coding, message));
    }
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    if codings.any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity")) {
        let message = "compressed bodies (Content-Encoding) are not supported";
        return Err(Refusal::new(Reason::Coding, message));
    }
    Ok(())
}

/// The name of this server in a request.
#[derive(Debug)]
pub struct Host<'r>(&'r str);

/// Returns the host that a request names in its target or in `Host`; `None` for HTTP/1.0 without
/// `Host`.
///
/// # Errors
/// [`Reason::Malformed`] if an HTTP/1.1 request has no `Host` or several (RFC 9112, section 3.2),
/// or if the host is not a name with or without a port.
pub fn host(request: &Request<Body>) -> Result<Option<Host<'_>>, Refusal> {
    let refuse = |message: &str| Err(Refusal::new(Reason::Malformed, message));
    let given = only(request.headers(), &HOST);
    let given = match given {
        Ok(Some(given)) => match given.to_str() {
            Ok(given) => Some(name(given)),
            Err(_) => Some(None),
        },
        Ok(None) if request.version() < Version::HTTP_11 => None,
        Ok(None) => return refuse("the header Host is missing"),
        Err(()) => return refuse("the header Host is repeated"),
    };
    // A host in the target takes precedence; Host must still be well-formed.
    let named = request.uri().authority().map(|authority| name(authority.as_str()));
    match (given, named) {
        (Some(None), _) | (_, Some(None)) => {
            refuse("the header Host must be a name or an address, optionally with `:` and a port")
        }
        (_, Some(Some(name))) | (Some(Some(name)), None) => Ok(Some(Host(name))),
        (None, None) => Ok(None),
    }
}

/// Returns the value of a header that may occur at most once.
fn only<'h>(
    headers: &'h HeaderMap,
    header: &HeaderName,
) -> Result<Option<&'h axum::http::HeaderValue>, ()> {
    let mut values = headers.get_all(header).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err(()),
    }
}

/// Returns the name before the port, without the brackets of an IPv6 address; `None` if malformed.
fn name(host: &str) -> Option<&str> {
    let (name, rest) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = |digits: &str| {
        digits.bytes().all(|digit| digit.is_ascii_digit())
            && (digits.is_empty() || digits.parse::<u16>().is_ok())
    };
    let has_port = rest.strip_prefix(':').is_some_and(is_port);
    (rest.is_empty() || has_port).then_some(name)
}

impl Host<'_> {
    /// Refuses names other than those of this machine and `hosts`.
    ///
    /// # Errors
    /// [`Reason::Host`].
    pub fn check(&self, hosts: &[String]) -> Result<(), Refusal> {
        let name = self.0;
        let is_ours = name.eq_ignore_ascii_case("localhost")
            || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
            || hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
        match is_ours {
            true => Ok(()),
            false => {
                let message =
                    "this server has a different name: use localhost, or start the server \
                               with --host NAME";
                Err(Refusal::new(Reason::Host, message))
            }
        }
    }
}

/// Returns the token of a request. The scheme is case-insensitive (RFC 7235, section 2.1).
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let given = only(headers, &AUTHORIZATION).ok()??.to_str().ok()?;
    let (scheme, token) = given.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_before_ports() {
        for (host, expected) in [
            ("a.example", Some("a.example")),
            ("127.0.0.1:8480", Some("127.0.0.1")),
            ("localhost:", Some("localhost")),
            ("[::1]:8480", Some("::1")),
            ("[::1]", Some("::1")),
            ("", Some("")),
            ("127.0.0.1:8491.evil", None),
            ("127.0.0.1:65536", None),
            ("127.0.0.1:80:80", None),
            ("127.0.0.1:+80", None),
            ("[::1]evil", None),
            ("[::1", None),
        ] {
            assert_eq!(name(host), expected, "{host}");
        }
    }
}
