// SPDX-License-Identifier: Apache-2.0 OR MIT
//! HTTP: connections, routes, bodies, and the endpoints besides the operations.

mod app;
mod body;
mod connections;
mod headers;
mod openapi;
mod operate;
mod readiness;
mod routes;
mod store;

pub use app::{refused, App};
pub use connections::{Running, Server};
pub use routes::typed;
