// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a server is started with.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crate::queue::QueueLimits;
use crate::tls::TlsFiles;

/// The port where none is named.
pub const DEFAULT_PORT: u16 = 8480;

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on; the port 0 is any free one.
    pub listen: SocketAddr,
    /// The file of tokens; without one, anyone who reaches the address is served.
    pub tokens: Option<PathBuf>,
    /// The files of TLS; without them the server speaks plain HTTP.
    pub tls: Option<TlsFiles>,
    /// Whether an address beyond this machine may be served without tokens.
    pub allow_anyone: bool,
    /// Names of this server beside `localhost` that requests may have in `Host`, where there are no
    /// tokens.
    pub hosts: Vec<String>,
    /// The folder of objects; without one, none are kept.
    pub store: Option<PathBuf>,
    /// The most bytes of all objects.
    pub quota_bytes: u64,
    /// The most bytes of memory that objects and what is computed with them take.
    pub cache_bytes: u64,
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
            store: None,
            quota_bytes: 64 << 30,
            cache_bytes: 8 << 30,
            limits: Limits::default(),
        }
    }
}

/// What a server allows.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of a body.
    pub body_bytes: usize,
    /// The most bytes of memory that requests take together, from their bodies' first bytes to their
    /// answers' last ones.
    pub bodies_bytes: usize,
    /// The most items of a batch.
    pub items: usize,
    /// The most bytes of a request's line and headers.
    pub header_bytes: usize,
    /// The most connections at once.
    pub connections: usize,
    /// How long headers may take, from the connection's beginning or the last answer on.
    pub header_time: Duration,
    /// How long a body may take.
    pub body_time: Duration,
    /// The least bytes a second of a body that is not there yet, in each [window](Self::body_window).
    pub body_rate: usize,
    /// The time in which a body's rate is taken.
    pub body_window: Duration,
    /// How long a client may take nothing of an answer.
    pub write_time: Duration,
    /// The deadline of requests that name none.
    pub deadline: Duration,
    /// The latest deadline.
    pub longest_deadline: Duration,
    /// How long what was accepted may take when the server ends.
    pub shutdown_time: Duration,
    /// The queue's.
    pub queue: QueueLimits,
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
