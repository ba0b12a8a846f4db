// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Load for a service: mixed operations at a rate, every answer checked, and among them clients that
//! are malformed, slow, or gone.
//!
//! ```sh
//! cargo run --release -p halimede-service --example load -- 10000 120   # requests a minute, seconds
//! ```
//!
//! The server is a process of its own, so that its memory can be told. Times are from when a request
//! was due, so that one that waits for a client's thread counts as slow. Ends with code 1 where an
//! answer is wrong, or where the server's memory grows by more than 5 % after the first quarter.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "it tells what it measures")]
#![allow(clippy::disallowed_methods, reason = "the same")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use halimede_arith::{Felt, Fr};
use halimede_blake3::blake3;
use halimede_bls12_381::hash::hash_to_curve;
use halimede_bls12_381::{Point, G1, G2};
use halimede_device::Device;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::{starknet, Strength};
use halimede_service::{Client, ClientError, Options, Server};
use serde_json::{json, Value};

/// Threads of good clients.
const CLIENTS: usize = 16;
/// One in so many requests is of a bad client.
const BAD_SHARE: usize = 20;
/// Variants of each operation.
const VARIANTS: u64 = 32;
/// How long a slow client sleeps between its bytes.
const SLOW: Duration = Duration::from_millis(300);
const MOST_GROWTH: f64 = 1.05;

/// A request and its answers.
struct Case {
    name: String,
    target: String,
    items: Vec<Value>,
    answers: Vec<Value>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|argument| argument == "serve") {
        return serve();
    }
    let number = |place: usize, default: u64| {
        arguments.get(place).map_or(default, |text| text.parse().expect("a number"))
    };
    let (rate, seconds) = (number(0, 10_000), number(1, 120));
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address: SocketAddr = line.trim().parse().unwrap();
    let is_good = load(address, &child, rate, seconds);
    // The end of its input ends the server.
    drop(child.stdin.take());
    let status = child.wait().unwrap();
    println!("server: {status}");
    if is_good && status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Serves until standard input ends.
fn serve() -> ExitCode {
    let mut options = Options { listen: "127.0.0.1:0".parse().unwrap(), ..Options::default() };
    options.limits.body_time = Duration::from_secs(2);
    options.limits.header_time = Duration::from_secs(5);
    if let Ok(delay) = std::env::var("HALIMEDE_LOAD_JOIN_US") {
        options.limits.queue.join_delay = Duration::from_micros(delay.parse().unwrap());
    }
    let device = Arc::new(Device::open("cpu").unwrap());
    let server = Server::bind(device, &options).unwrap().start().unwrap();
    println!("{}", server.address());
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    match server.end() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Resident bytes of a process.
fn resident_bytes(child: &Child) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes * 1024.0
}

#[derive(Default)]
struct Tally {
    times: Mutex<BTreeMap<String, Vec<Duration>>>,
    wrong: AtomicU64,
    refused: AtomicU64,
    bad: [AtomicU64; 3],
}

fn load(address: SocketAddr, child: &Child, rate: u64, seconds: u64) -> bool {
    let cases = cases(&Client::new(address));
    let total = (rate * seconds / 60) as usize;
    println!("{} cases; {total} requests at {rate} a minute", cases.len());
    let (tally, next, done) = (Tally::default(), AtomicUsize::new(0), AtomicBool::new(false));
    let start = Instant::now();
    let memory = thread::scope(|scope| {
        let workers: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let client = Client::new(address);
                    loop {
                        let number = next.fetch_add(1, Relaxed);
                        if number >= total {
                            return;
                        }
                        let due =
                            start + Duration::from_secs_f64(number as f64 * 60.0 / rate as f64);
                        thread::sleep(due.saturating_duration_since(Instant::now()));
                        if number % BAD_SHARE == BAD_SHARE - 1 {
                            bad_client(address, number / BAD_SHARE, &tally);
                        } else {
                            ask(&client, &cases[number * 7919 % cases.len()], due, &tally);
                        }
                    }
                })
            })
            .collect();
        let watcher = scope.spawn(|| {
            let mut memory = Vec::new();
            while !done.load(Relaxed) {
                memory.push(resident_bytes(child));
                thread::sleep(Duration::from_millis(250));
            }
            memory
        });
        for worker in workers {
            worker.join().unwrap();
        }
        done.store(true, Relaxed);
        watcher.join().unwrap()
    });
    report(&tally, start.elapsed(), &memory)
}

fn ask(client: &Client, case: &Case, due: Instant, tally: &Tally) {
    match client.call(&case.target, &case.items) {
        Ok(answers) if answers == case.answers => {
            let mut times = tally.times.lock().unwrap();
            times.entry(case.name.clone()).or_default().push(due.elapsed());
        }
        Ok(answers) => {
            tally.wrong.fetch_add(1, Relaxed);
            println!("WRONG {}: {answers:?}", case.target);
        }
        Err(ClientError::Refused { status: 429 | 503, .. }) => {
            tally.refused.fetch_add(1, Relaxed);
        }
        Err(error) => {
            tally.wrong.fetch_add(1, Relaxed);
            println!("FAILED {}: {error}", case.target);
        }
    }
}

/// A client that is malformed, slow, or gone before its answer.
fn bad_client(address: SocketAddr, number: usize, tally: &Tally) {
    let kind = number % 3;
    tally.bad[kind].fetch_add(1, Relaxed);
    let body = b"{\"items\":[{\"message\":\"0102030405\"}]}";
    let head = format!(
        "POST /v1/blake3/hash HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let Ok(mut stream) = TcpStream::connect(address) else { return };
    // Whatever becomes of the connection, the others are what counts.
    let _ = match kind {
        0 => {
            let cut = number % body.len();
            let mut damaged = body.to_vec();
            damaged[cut] ^= 0x55;
            let sent = stream.write_all(&[head.as_bytes(), &damaged].concat());
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            if !line.starts_with("HTTP/1.1 400") && !line.starts_with("HTTP/1.1 200") {
                tally.wrong.fetch_add(1, Relaxed);
                println!("WRONG: a malformed request was answered by {line:?}");
            }
            sent
        }
        1 => {
            thread::spawn(move || {
                let cut = head.len() - number % head.len();
                let _ = stream.write_all(&head.as_bytes()[..cut]);
                for byte in &head.as_bytes()[cut..] {
                    thread::sleep(SLOW);
                    if stream.write_all(&[*byte]).is_err() {
                        return;
                    }
                }
            });
            Ok(())
        }
        _ => stream.write_all(&[head.as_bytes(), &body[..number % (body.len() + 1)]].concat()),
    };
}

fn report(tally: &Tally, elapsed: Duration, memory: &[f64]) -> bool {
    let quantile = |times: &[Duration], share: f64| {
        let place = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(place).copied().unwrap_or_default()
    };
    let mut times = tally.times.lock().unwrap();
    let mut all = Vec::new();
    for (name, times) in times.iter_mut() {
        times.sort_unstable();
        all.extend_from_slice(times);
        let (p50, p99) = (quantile(times, 0.5), quantile(times, 0.99));
        println!("{name:32} {:7} answers  p50 {p50:9.2?}  p99 {p99:9.2?}", times.len());
    }
    all.sort_unstable();
    let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|share| quantile(&all, share));
    let most = all.last().copied().unwrap_or_default();
    println!(
        "all: {} answers in {elapsed:.1?}; p50 {p50:.2?}, p99 {p99:.2?}, p99.9 {p999:.2?}, most {most:.2?}",
        all.len()
    );
    let [malformed, slow, gone] = [0, 1, 2].map(|kind: usize| tally.bad[kind].load(Relaxed));
    let (wrong, refused) = (tally.wrong.load(Relaxed), tally.refused.load(Relaxed));
    println!("bad clients: {malformed} malformed, {slow} slow, {gone} gone");
    println!("wrong answers: {wrong}; refused for now: {refused}");
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let quarter = memory.len() / 4;
    let second = mean(&memory[quarter..2 * quarter]);
    let last = mean(&memory[3 * quarter..]);
    let growth = last / second;
    println!(
        "memory of the server: {:.1} MB in the second quarter, {:.1} MB in the last ({:+.1} %)",
        second / 1e6,
        last / 1e6,
        100.0 * (growth - 1.0)
    );
    wrong == 0 && !all.is_empty() && growth < MOST_GROWTH
}

/// The examples of the document, and operations whose answers are computed here.
fn cases(client: &Client) -> Vec<Case> {
    let document = client.send("GET", "/openapi.json", "", &[]).unwrap().json().unwrap();
    let mut cases = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let operation = &methods["post"];
        let answered = &operation["responses"]["200"]["content"]["application/json"];
        if let Some(answers) = answered["example"]["answers"].as_array() {
            let body = &operation["requestBody"]["content"]["application/json"];
            let query = operation["x-example-query"].as_str().unwrap();
            cases.push(Case {
                name: operation["operationId"].as_str().unwrap().into(),
                target: format!("{path}?{query}"),
                items: body["example"]["items"].as_array().unwrap().clone(),
                answers: answers.clone(),
            });
        }
    }
    for variant in 0..VARIANTS {
        cases.extend([starknet_pairs(variant), filecoin_leaves(variant)]);
        cases.extend([messages(variant), bls_signatures(variant)]);
    }
    cases
}

fn case(name: &str, target: &str, pairs: impl Iterator<Item = (Value, Value)>) -> Case {
    let (items, answers) = pairs.unzip();
    Case { name: name.into(), target: target.into(), items, answers }
}

fn starknet_pairs(variant: u64) -> Case {
    let pairs = (1..=variant % 20 + 1).map(|number| {
        let (x, y) = (Felt::from(number * 0x1234_5678_9abc), Felt::from(number + variant));
        let item = json!({ "elements": [x.to_string(), y.to_string()] });
        (item, json!({ "digest": starknet::hash(x, y).to_string() }))
    });
    case("poseidon.starknet_hash", "/v1/poseidon/starknet-hash", pairs)
}

fn filecoin_leaves(variant: u64) -> Case {
    let arity = [2, 4, 8, 11][variant as usize % 4];
    let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree).unwrap();
    let target = format!("/v1/poseidon/filecoin-hash?arity={arity}");
    let pairs = (1..=variant % 10 + 1).map(move |number| {
        let element = |place: usize| Fr::from(number << 40 | variant << 8 | place as u64);
        let elements: Vec<Fr> = (0..arity).map(element).collect();
        let texts: Vec<String> = elements.iter().map(Fr::to_string).collect();
        let digest = hasher.hash(&elements).unwrap();
        (json!({ "elements": texts }), json!({ "digest": digest.to_string() }))
    });
    case("poseidon.filecoin_hash", &target, pairs)
}

fn messages(variant: u64) -> Case {
    let pairs = (1..=variant % 30 + 1).map(|number| {
        let length = number * variant * 7 % 3_000;
        let message: Vec<u8> = (0..length).map(|byte| (byte * 31 + number) as u8).collect();
        let digest = blake3::hash(&message).to_hex();
        (json!({ "message": hex::encode(&message) }), json!({ "digest": digest.as_str() }))
    });
    case("blake3.hash", "/v1/blake3/hash", pairs)
}

fn bls_signatures(variant: u64) -> Case {
    let domain = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
    let pairs = (1..=variant % 4 + 1).map(|number| {
        let secret = Fr::from(variant * 1_000 + number + 2);
        let message = (number << 32 | variant).to_le_bytes();
        let key = Point::<G1>::generator().times(&secret).to_compressed();
        let signature = hash_to_curve::<G2>(domain, &message).unwrap().times(&secret);
        let is_wrong = number == 3;
        let message = if is_wrong { [7; 8] } else { message };
        let item = json!({
            "key": hex::encode(key), "message": hex::encode(message),
            "signature": hex::encode(signature.to_compressed()),
        });
        let reason = "the signature does not match";
        match is_wrong {
            true => (item, json!({ "valid": false, "reason": reason })),
            false => (item, json!({ "valid": true })),
        }
    });
    case("bls12_381.verify_signature", "/v1/bls12-381/verify-signature", pairs)
}
