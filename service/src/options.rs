// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crate::queue::QueueLimits;
use crate::tls::TlsFiles;

/// The default port.
pub const DEFAULT_PORT: u16 = 8480;

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on; port 0 means any free port.
    pub listen: SocketAddr,
    /// The file of tokens; without it, anyone who can reach the address is served.
    pub tokens: Option<PathBuf>,
    /// The files of TLS; without them, the server uses plain HTTP.
    pub tls: Option<TlsFiles>,
    /// `true` to allow requests without tokens on an address that is reachable from other machines.
    pub allow_anyone: bool,
    /// Names of this server, in addition to `localhost`, that requests without tokens may have in
    /// `Host`.
    pub hosts: Vec<String>,
    /// The origins, such as `https://page.example`, whose pages may use the server.
    pub origins: Vec<String>,
    /// The folder of objects; without it, clients cannot upload objects.
    pub store: Option<PathBuf>,
    /// The maximum number of bytes of all objects.
    pub quota_bytes: u64,
    /// The maximum memory for objects and computations with them, in bytes.
    pub cache_bytes: u64,
    /// The files of networks to compile at the start.
    pub networks: Vec<PathBuf>,
    /// `true` if clients may upload networks.
    pub network_uploads: bool,
    /// The limits.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, DEFAULT_PORT).into(),
            tokens: None,
            tls: None,
            allow_anyone: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            store: None,
            quota_bytes: 64 << 30,
            cache_bytes: 8 << 30,
            networks: Vec::new(),
            network_uploads: false,
            limits: Limits::default(),
        }
    }
}

/// The limits of a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of bytes of a body.
    pub body_bytes: usize,
    /// The maximum memory of all requests together, from the first byte of a body to the last byte
    /// of its answer, in bytes.
    pub bodies_bytes: usize,
    /// The maximum number of items of a batch.
    pub items: usize,
    /// The maximum number of bytes of a request's line and headers.
    pub header_bytes: usize,
    /// The maximum number of open connections.
    pub connections: usize,
    /// The time limit for headers, from the start of the connection or from the last answer.
    pub header_time: Duration,
    /// The time limit for a body.
    pub body_time: Duration,
    /// The minimum rate of an arriving body, in bytes per second, in each
    /// [window](Self::body_window).
    pub body_rate: usize,
    /// The window in which the rate of a body is measured.
    pub body_window: Duration,
    /// The time limit for a client that does not read its answer.
    pub write_time: Duration,
    /// The deadline of requests that name no deadline.
    pub deadline: Duration,
    /// The longest deadline that a request may name.
    pub longest_deadline: Duration,
    /// The time limit for answering accepted requests at shutdown.
    pub shutdown_time: Duration,
    /// The limits of the queue.
    pub queue: QueueLimits,
    /// The limits of runs of networks.
    pub runs: RunLimits,
}

/// The limits of runs of networks.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    /// The number of runs that are computed at once, if the memory suffices.
    pub workers: usize,
    /// The maximum number of runs, complete ones included.
    pub most: usize,
    /// The maximum number of runs of a token.
    pub most_of_owner: usize,
    /// The maximum number of bytes of all encrypted inputs and results.
    pub bytes: u64,
    /// The time after which a complete run is removed.
    pub expiry: Duration,
    /// The maximum number of open streams of events.
    pub streams: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 16 << 20,
            bodies_bytes: 512 << 20,
            items: 1 << 16,
            header_bytes: 16 << 10,
            connections: 1024,
            header_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            body_rate: 4 << 10,
            body_window: Duration::from_secs(5),
            write_time: Duration::from_secs(30),
            deadline: Duration::from_secs(60),
            longest_deadline: Duration::from_secs(600),
            shutdown_time: Duration::from_secs(60),
            queue: QueueLimits::default(),
            runs: RunLimits::default(),
        }
    }
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            workers: 2,
            most: 1024,
            most_of_owner: 64,
            bytes: 8 << 30,
            expiry: Duration::from_secs(24 * 3600),
            streams: 256,
        }
    }
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self {
            items: 1 << 18,
            requests: 1024,
            workers: 2,
            join_delay: Duration::ZERO,
            reopen_pause: Duration::from_secs(1),
        }
    }
}
