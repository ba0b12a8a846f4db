// SPDX-License-Identifier: Apache-2.0 OR MIT
//! HTTP: connections, routes, bodies, and the endpoints besides the operations.

mod app;
mod body;
mod connections;
mod headers;
mod media;
mod networks;
mod openapi;
mod operate;
mod origins;
mod readiness;
mod routes;
mod run_events;
mod runs;
mod state;
mod store;

pub use connections::{Running, Server};
pub use media::{typed, EVENTS};
pub use state::{refused, App};
