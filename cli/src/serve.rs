// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede serve`: serves the operations over HTTP.

use std::sync::Arc;

use halimede_service::{Limits, Options, QueueLimits, RunLimits, ServeError, Server, TlsFiles};

use crate::arguments::ServiceOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::output::print_line;

pub fn run(options: &ServiceOptions, json: bool) -> Result<(), CommandError> {
    let device = Arc::new(open(&options.device)?);
    let server = Server::bind(device, &of_arguments(options))?;
    // Programs that start the server wait for this line.
    let all_answered = server.run(|url| match json {
        true => print_line(&serde_json::json!({ "listening": url }).to_string()),
        false => print_line(&format!("listening on {url}")),
    })?;
    match all_answered {
        true => Ok(()),
        false => {
            let reason = "the server ended before it had answered all accepted requests";
            Err(CommandError::Unanswered(reason.into()))
        }
    }
}

fn of_arguments(options: &ServiceOptions) -> Options {
    let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let queue = QueueLimits {
        items: options.queue_items,
        requests: options.queue_requests,
        join_delay: std::time::Duration::from_micros(options.join_delay),
        ..QueueLimits::default()
    };
    let defaults = Limits::default();
    let limits = Limits {
        body_bytes: bytes(options.most_body),
        bodies_bytes: bytes(options.body_memory).max(4 * bytes(options.most_body)),
        items: options.most_items,
        connections: options.connections,
        body_time: options.body_time,
        deadline: options.deadline,
        longest_deadline: defaults.longest_deadline.max(options.deadline),
        shutdown_time: options.shutdown_time,
        queue,
        runs: RunLimits { workers: options.network_runs.into(), ..RunLimits::default() },
        ..defaults
    };
    let tls = options.tls_certificate.clone().zip(options.tls_key.clone());
    Options {
        listen: options.listen,
        tokens: options.tokens.clone(),
        tls: tls.map(|(certificates, key)| TlsFiles { certificates, key }),
        allow_anyone: options.allow_anyone,
        hosts: options.hosts.clone(),
        origins: options.origins.clone(),
        store: options.store.clone(),
        quota_bytes: options.quota,
        cache_bytes: options.key_memory,
        networks: options.networks.clone(),
        network_uploads: options.network_uploads,
        limits,
    }
}

impl From<ServeError> for CommandError {
    fn from(error: ServeError) -> Self {
        Self::BadInput(error.to_string())
    }
}
