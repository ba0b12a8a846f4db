// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Servers for tests, and raw requests.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use halimede_device::Device;
use halimede_service::{Client, Limits, Options, Running, Server};

/// The time limit of a test for an expected event.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn options() -> Options {
    Options { listen: "127.0.0.1:0".parse().unwrap(), ..Options::default() }
}

pub fn start(options: &Options) -> Running {
    start_on(Device::cpu(), options)
}

pub fn start_on(device: Device, options: &Options) -> Running {
    Server::bind(Arc::new(device), options).unwrap().start().unwrap()
}

pub fn with_limits(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = options();
    change(&mut options.limits);
    options
}

pub fn client(server: &Running) -> Client {
    Client::new(server.address()).time_limit(PATIENCE)
}

/// Sends bytes that need not be HTTP. Returns the answer, until the server closes the connection.
pub fn exchange(server: &Running, sent: &[u8]) -> String {
    let mut stream = connect(server);
    // A server that refuses a request may close the connection before it has read everything.
    let _ = stream.write_all(sent);
    rest(&mut stream)
}

pub fn connect(server: &Running) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Reads until the connection is closed.
pub fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) => assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "it stays open"),
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

/// Returns a counter of `/metrics`, by its name and labels.
pub fn counter(client: &Client, name: &str) -> f64 {
    let metrics = client.send("GET", "/metrics", "", &[]).unwrap().good().unwrap();
    let text = String::from_utf8(metrics.body).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}
