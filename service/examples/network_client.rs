// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A client of a served network: encrypts values from files, sends them, and decrypts the outputs.
//!
//! ```sh
//! cargo run -p halimede-service --example network_client -- 127.0.0.1:8480 digit-1.csv digit-2.csv
//! ```
//!
//! The service listens without TLS and tokens here; [`Client::tls`] and [`Client::token`] add them.
//! `HALIMEDE_INSECURE=1` accepts a network with insecure parameters, for tests.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use std::error::Error;
use std::net::SocketAddr;

use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::NetworkClient;
use halimede_files::read_limited;
use halimede_service::{Client, RemoteNetwork};

/// The largest size of a file of values in bytes.
const MOST_BYTES: u64 = 16 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let address: SocketAddr = words.next().ok_or("usage: ADDRESS INPUT.csv…")?.parse()?;
    let paths: Vec<String> = words.collect();
    let inputs = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;

    let client = Client::new(address);
    let network = client.networks()?.into_iter().next().ok_or("the service has no network")?;
    let interface = client.interface(&network)?;
    let interface = match std::env::var_os("HALIMEDE_INSECURE") {
        None => Interface::load(&interface[..])?,
        Some(_) => Interface::load_insecure(&interface[..])?,
    };
    let owner = NetworkClient::new(&interface)?;
    let mut remote = RemoteNetwork::new(&client, &network, interface, owner)?;
    let outputs = remote.infer(&inputs, |state| {
        eprintln!("{}, {} of {} steps", state.state, state.done, state.steps);
    })?;
    for (path, output) in paths.iter().zip(outputs) {
        match output {
            Ok(output) => {
                println!("{path}: class {:?}, values {:?}", output.class(), output.values)
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
    Ok(())
}

/// Reads one value a line.
fn read(path: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    let text = String::from_utf8(read_limited(path.as_ref(), MOST_BYTES)?)?;
    let values = text.split_whitespace().map(str::parse);
    Ok(values.collect::<Result<_, _>>().map_err(|error| format!("{path}: {error}"))?)
}
