// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS at N = 2¹⁶: basic operations at the highest level, against Lattigo.

pub mod bootstrap;
mod lattigo;
pub mod parties;
mod process;

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use halimede_arith::EngineBackend;
use halimede_ckks::encoding::Plaintext;
use halimede_ckks::ring::{kernels, primes_below, LaneBackend, Modulus, Twiddles};
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Server};

use crate::comparison::Comparison;
use process::Process;

const PEER: &str = lattigo::NAME;
const ROTATIONS: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// The note below the table.
pub fn note() -> String {
    let rows = [
        ("HAdd", "28", "0.075 (one polynomial)"),
        ("PMult", "26", "0.075 (one polynomial)"),
        ("CMult and relinearization", "2,632", "3.7"),
        ("rotation", "2,564", "3.3"),
        ("rescale", "145", "0.25"),
    ];
    let mut note = "published (HPCA 2023, N = 2^16, 44 limbs of 32 bits), ms:".to_owned();
    for (operation, cpu, fpga) in rows {
        note += &format!("\n  {operation:<28} Xeon, one thread {cpu:>6}   FPGA {fpga}");
    }
    note
}

/// Ciphertexts and keys of the highest level.
struct State {
    server: Server,
    a: Ciphertext,
    b: Ciphertext,
    plaintext: Plaintext,
}

impl State {
    fn new() -> Result<Self, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let parameters = Parameters::preset("n16").map_err(|error| text(&error))?;
        let mut client = Client::new(&parameters).map_err(|error| text(&error))?;
        let operations = Operations {
            multiply: true,
            conjugate: false,
            rotations: ROTATIONS.to_vec(),
            ..Operations::default()
        };
        let value = |i: usize, shift: usize| {
            let part = |modulus: usize| ((i + shift) % modulus) as f64 / modulus as f64 - 0.5;
            Complex::new(part(1009), part(769))
        };
        let mut vector = |shift| {
            let values: Vec<Complex> = (0..parameters.slots()).map(|i| value(i, shift)).collect();
            client.encrypt(&values).map_err(|error| text(&error))
        };
        let (a, b) = (vector(0)?, vector(77)?);
        let values: Vec<Complex> = (0..parameters.slots()).map(|i| value(i, 5)).collect();
        let plaintext = client.encoder().encode(&values, parameters.top());
        let plaintext = plaintext.map_err(|error| text(&error))?;
        Ok(Self { server: client.server(&operations), a, b, plaintext })
    }

    /// Runs an operation, which was checked before.
    fn run(&self, operation: Basic) -> Result<(), String> {
        let (server, a, b) = (&self.server, &self.a, &self.b);
        match operation {
            Basic::Add => server.add(a, b).map(|sum| drop(black_box(sum))),
            Basic::PlainProduct => {
                server.mul_encoded(a, &self.plaintext).map(|product| drop(black_box(product)))
            }
            Basic::Product => server.mul(a, b).map(|product| drop(black_box(product))),
            Basic::Rescale => server.rescale(a).map(|rescaled| drop(black_box(rescaled))),
            Basic::Rotation => server.rotate(a, 1).map(|rotated| drop(black_box(rotated))),
            Basic::Hoisted => {
                server.rotate_many(a, &ROTATIONS).map(|rotated| drop(black_box(rotated)))
            }
        }
        .map_err(|error| error.to_string())
    }
}

/// A basic operation on ciphertexts.
#[derive(Clone, Copy)]
enum Basic {
    Add,
    PlainProduct,
    Product,
    Rescale,
    Rotation,
    Hoisted,
}

/// The operations, each with its name here and at the peer, and its target ratio.
const BASIC: [(Basic, &str, &str, f64); 7] = [
    (Basic::Add, "HAdd", "add", 1.5),
    (Basic::PlainProduct, "PMult", "pmult", 2.0),
    (Basic::Product, "CMult, relinearized; ours rescaled, too", "cmult", 3.0),
    (Basic::Product, "CMult, relinearized, both rescaled", "cmult-rescale", 5.0),
    (Basic::Rotation, "rotation", "rotate", 5.0),
    (Basic::Hoisted, "8 hoisted rotations", "hoisted", 3.0),
    (Basic::Rescale, "rescale", "rescale", 4.0),
];

/// All comparisons, on the current pool of `threads`. Without the peer its column is empty, and
/// standard error has the reason.
///
/// # Errors
/// If an operation fails.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let peer = match lattigo::build().and_then(|()| lattigo::start(threads, &[])) {
        Ok((peer, _)) => Some(Rc::new(RefCell::new(peer))),
        Err(reason) => {
            eprintln!("halimede-bench: without Lattigo: {reason}");
            None
        }
    };
    let theirs = |operation: &'static str| -> Option<Box<dyn FnMut()>> {
        let peer = Rc::clone(peer.as_ref()?);
        Some(Box::new(move || {
            if let Err(error) = once(&mut peer.borrow_mut(), operation) {
                eprintln!("halimede-bench: {error}");
            }
        }))
    };
    let mut all = transforms(&theirs)?;
    let state = Rc::new(State::new()?);
    for (operation, case, name, aim) in BASIC {
        state.run(operation)?;
        let state = Rc::clone(&state);
        all.push(Comparison {
            engine: "ckks",
            case: case.to_owned(),
            threads,
            units_a_call: 1,
            unit: "ms",
            unit_ns: 1e6,
            backend: LaneBackend::active().name(),
            ours: Box::new(move || {
                if let Err(error) = state.run(operation) {
                    eprintln!("halimede-bench: {error}");
                }
            }),
            peer: PEER,
            theirs: theirs(name),
            theirs_factor: 1.0,
            aim: Some(aim),
        });
    }
    Ok(all)
}

/// Runs an operation at the peer once.
fn once(peer: &mut Process, operation: &str) -> Result<(), String> {
    peer.ask::<1>(&format!("{operation} 1")).map(drop)
}

/// The transform of a limb of 30 bits on each backend, against half the time of a limb of 60 bits.
fn transforms(
    theirs: &impl Fn(&'static str) -> Option<Box<dyn FnMut()>>,
) -> Result<Vec<Comparison>, String> {
    let prime = primes_below(1 << 30, 17).next().ok_or("no prime")?;
    let modulus = Modulus::new(prime).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for backend in LaneBackend::available() {
        let kernels = kernels::of(backend);
        let twiddles =
            Twiddles::new(modulus, 16, kernels.lanes()).map_err(|error| error.to_string())?;
        let mut limb: Vec<u32> =
            (0..1 << 16).map(|i: u32| i.wrapping_mul(0x9e37_79b9) % prime).collect();
        all.push(Comparison {
            engine: "ckks",
            case: "NTT, 30 bits (theirs: 60, halved)".to_owned(),
            threads: 1,
            units_a_call: 1,
            unit: "ms",
            unit_ns: 1e6,
            backend: backend.name(),
            ours: Box::new(move || kernels.forward(&twiddles, black_box(&mut limb))),
            peer: PEER,
            theirs: theirs("ntt"),
            theirs_factor: 0.5,
            aim: (backend == LaneBackend::Avx512).then_some(3.4),
        });
    }
    Ok(all)
}
