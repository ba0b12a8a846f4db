// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede serve`

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use halimede_service::DEFAULT_PORT;

use super::{parse_bytes, parse_seconds, DeviceOptions};

/// `halimede serve`
#[derive(Args, Debug)]
pub struct ServiceOptions {
    /// The address to listen on, with a port or without.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS", value_parser = parse_address)]
    pub listen: SocketAddr,
    /// A file of tokens, one of which a request must have: a name and a token a line. Its owner
    /// alone may read it.
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
    /// Serve by TLS: a file with the server's certificate in PEM, and behind it those that it is
    /// signed by. A new one is read at the next start.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's key in PEM. Its owner alone may read the file.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Serve an address beyond this machine without tokens.
    #[arg(long, conflicts_with = "tokens")]
    pub allow_anyone: bool,
    /// A name of this server that requests may have for it, where there are no tokens.
    #[arg(long = "host", value_name = "NAME", conflicts_with = "tokens")]
    pub hosts: Vec<String>,
    /// The folder for uploaded keys; without one, none can be uploaded.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Most bytes of the folder, e.g. 64G.
    #[arg(long, default_value = "64G", value_name = "BYTES", value_parser = parse_bytes)]
    pub quota: u64,
    /// Most bytes of memory that uploaded keys and computations with them take.
    #[arg(long, default_value = "8G", value_name = "BYTES", value_parser = parse_bytes)]
    pub key_memory: u64,
    /// Most bytes of a request's body.
    #[arg(long, default_value = "16M", value_name = "BYTES", value_parser = parse_bytes)]
    pub most_body: u64,
    /// Most bytes of memory that requests take together, from body to answer.
    #[arg(long, default_value = "512M", value_name = "BYTES", value_parser = parse_bytes)]
    pub body_memory: u64,
    /// Most items of a request.
    #[arg(long, default_value = "65536", value_name = "N")]
    pub most_items: usize,
    /// Most connections at once.
    #[arg(long, default_value = "1024", value_name = "N")]
    pub connections: usize,
    /// Most items that wait or are computed.
    #[arg(long, default_value = "262144", value_name = "N")]
    pub queue_items: usize,
    /// Most requests that wait or are computed.
    #[arg(long, default_value = "1024", value_name = "N")]
    pub queue_requests: usize,
    /// Seconds that a body may take to arrive.
    #[arg(long, default_value = "30", value_name = "SECONDS", value_parser = parse_seconds)]
    pub body_time: Duration,
    /// Seconds that a request may take that names no deadline.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = parse_seconds)]
    pub deadline: Duration,
    /// Seconds for what was accepted when the server is ended.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = parse_seconds)]
    pub shutdown_time: Duration,
    /// Microseconds that a small request waits for others of its operation to be computed with it.
    #[arg(long, default_value = "0", value_name = "MICROSECONDS",
          value_parser = clap::value_parser!(u64).range(..=100_000))]
    pub join_delay: u64,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// An address, with a port or without.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    match (text.parse::<SocketAddr>(), text.parse::<IpAddr>()) {
        (Ok(address), _) => Ok(address),
        (_, Ok(address)) => Ok((address, DEFAULT_PORT).into()),
        _ => Err("an address is expected, as in 127.0.0.1, [::1]:8480 or 0.0.0.0:80".into()),
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
    }
}
