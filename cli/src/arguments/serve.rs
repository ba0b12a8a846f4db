// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede serve`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use halimede_service::DEFAULT_PORT;

use super::{parse_bytes, parse_seconds, DeviceOptions};

/// `halimede serve`
#[derive(Args, Debug)]
pub struct ServiceOptions {
    /// The address to listen on, with or without a port.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS", value_parser = parse_address)]
    pub listen: SocketAddr,
    /// A file with one name and token per line; every request must have one of the tokens. The file
    /// must be readable only by its owner.
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
    /// Use TLS: a PEM file with the certificate of the server, followed by the certificates that
    /// signed it. The file is read only at the start of the server.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The key of the certificate, in PEM. The file must be readable only by its owner.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Allow requests without tokens on an address that is reachable from other machines.
    #[arg(long, conflicts_with = "tokens")]
    pub allow_anyone: bool,
    /// A host name that requests without tokens may use for this server; can be repeated.
    #[arg(long = "host", value_name = "NAME", conflicts_with = "tokens")]
    pub hosts: Vec<String>,
    /// An origin whose pages may use the server, such as `https://page.example`; can be repeated.
    #[arg(long = "allow-origin", value_name = "ORIGIN", value_parser = parse_origin)]
    pub origins: Vec<String>,
    /// The folder for uploaded keys and runs of networks; without it, clients cannot upload any.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// The maximum size of the folder, e.g. 64G.
    #[arg(long, default_value = "64G", value_name = "BYTES", value_parser = parse_bytes)]
    pub quota: u64,
    /// The maximum memory for uploaded keys and computations with them.
    #[arg(long, default_value = "8G", value_name = "BYTES", value_parser = parse_bytes)]
    pub key_memory: u64,
    /// A network to serve, written by `halimede ckks compile`; can be repeated. It is compiled at
    /// the start, and stays in memory.
    #[arg(long = "network", value_name = "FILE")]
    pub networks: Vec<PathBuf>,
    /// Allow clients to upload networks. Compiling one can use much memory and time: allow it only
    /// if you trust all clients.
    #[arg(long, requires = "store")]
    pub network_uploads: bool,
    /// The number of runs of networks that are computed at once, if the memory suffices.
    #[arg(long, default_value = "2", value_name = "N",
          value_parser = clap::value_parser!(u8).range(1..=64))]
    pub network_runs: u8,
    /// The maximum size of a request's body.
    #[arg(long, default_value = "16M", value_name = "BYTES", value_parser = parse_bytes)]
    pub most_body: u64,
    /// The maximum memory for all requests together, from body to answer.
    #[arg(long, default_value = "512M", value_name = "BYTES", value_parser = parse_bytes)]
    pub body_memory: u64,
    /// The maximum number of items of a request.
    #[arg(long, default_value = "65536", value_name = "N")]
    pub most_items: usize,
    /// The maximum number of open connections.
    #[arg(long, default_value = "1024", value_name = "N")]
    pub connections: usize,
    /// The maximum number of items that wait or are being computed.
    #[arg(long, default_value = "262144", value_name = "N")]
    pub queue_items: usize,
    /// The maximum number of requests that wait or are being computed.
    #[arg(long, default_value = "1024", value_name = "N")]
    pub queue_requests: usize,
    /// The time limit for a body to arrive.
    #[arg(long, default_value = "30", value_name = "SECONDS", value_parser = parse_seconds)]
    pub body_time: Duration,
    /// The time limit of requests that name no deadline.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = parse_seconds)]
    pub deadline: Duration,
    /// The time limit for answering accepted requests at shutdown.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = parse_seconds)]
    pub shutdown_time: Duration,
    /// How long a small request waits for others of the same operation, to be computed in one
    /// batch.
    #[arg(long, default_value = "0", value_name = "MICROSECONDS",
          value_parser = clap::value_parser!(u64).range(..=100_000))]
    pub join_delay: u64,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// Parses an address with or without a port.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    match (text.parse::<SocketAddr>(), text.parse::<IpAddr>()) {
        (Ok(address), _) => Ok(address),
        (_, Ok(address)) => Ok((address, DEFAULT_PORT).into()),
        _ => Err("expected an address, such as 127.0.0.1, [::1]:8480 or 0.0.0.0:80".into()),
    }
}

/// Parses an origin: a scheme and a host, without a path.
fn parse_origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_host = |host: &str| {
        !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#@".contains(&byte))
    };
    match host.is_some_and(is_host) {
        true => Ok(text.to_owned()),
        false => Err("expected an origin, such as https://page.example".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_bytes_are_read() {
        assert_eq!(parse_address("127.0.0.1"), Ok(([127, 0, 0, 1], DEFAULT_PORT).into()));
        assert_eq!(parse_address("[::1]:7").unwrap().to_string(), "[::1]:7");
        assert!(parse_address("localhost").is_err() && parse_address("").is_err());
        assert_eq!(
            ["7", "2K", "16M", "4G"].map(parse_bytes),
            [7, 2_000, 16_000_000, 4_000_000_000].map(Ok)
        );
        for text in ["", "0", "M", "-1", "1T", "99999999999G", "é"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
        for text in ["https://page.example", "http://localhost:8000", "http://[::1]:80"] {
            assert_eq!(parse_origin(text), Ok(text.to_owned()));
        }
        for text in ["*", "null", "page.example", "https://", "https://a/", "http://a b"] {
            assert!(parse_origin(text).is_err(), "{text}");
        }
    }
}
