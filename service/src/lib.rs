// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Serves the operations of Halimede over HTTP: batches as JSON or as binary frames, on one device.
//!
//! ```
//! use std::sync::Arc;
//!
//! use halimede_device::Device;
//! use halimede_service::{Client, Options, Server};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options { listen: "127.0.0.1:0".parse()?, ..Options::default() };
//! let server = Server::bind(Arc::new(Device::open("cpu")?), &options)?.start()?;
//! let client = Client::new(server.address());
//! let items = [serde_json::json!({ "elements": ["0x1", "0x2"] })];
//! let answers = client.call("/v1/poseidon/starknet-hash", &items)?;
//! assert!(answers[0]["digest"].as_str().is_some_and(|digest| digest.starts_with("0x05d44a3d")));
//! assert!(server.end());
//! # Ok(())
//! # }
//! ```
//!
//! | module | content |
//! |---|---|
//! | `operations` | one endpoint per operation of the table in [`halimede_operations`], and CKKS |
//! | `query` | the settings of a request |
//! | `queue` | the bounded queue in front of the device, which joins small requests |
//! | `charge` | the memory of requests |
//! | `objects` | uploaded keys and setups, in a folder |
//! | `networks` | compiled networks |
//! | `runs` | runs of networks: a queue on the disk, workers, progress |
//! | `http` | connections, routes, limits, the OpenAPI document |
//! | `dashboard` | the page of the dashboard, and its events |

#![forbid(unsafe_code)]

mod charge;
mod client;
mod dashboard;
mod error;
mod http;
mod metrics;
mod network_client;
mod networks;
mod objects;
mod operations;
mod options;
mod owners_file;
mod query;
mod queue;
mod refusal;
mod runs;
mod tls;
mod tokens;

pub use client::{Client, Response};
pub use error::{ClientError, InferenceError, ServeError};
pub use http::{Running, Server};
pub use network_client::{RemoteNetwork, RunState};
pub use options::{Limits, Options, RunLimits, DEFAULT_PORT};
pub use queue::QueueLimits;
pub use tls::{TlsFiles, Trust};
