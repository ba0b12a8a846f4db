// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A simulated card that is killed at any moment of a batch of any engine: with a fallback, each
//! request is answered once, with the processor's answer.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print measurements and skips")]

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::common::{has_simulator, is_sweep};
use crate::fake_card::cases;
use halimede_arith::job::{Compute, Execute};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Mode;
use halimede_card::transport::Simulated;
use halimede_card::{Card, CardOptions};
use halimede_device::simulator::SimulatorOptions;
use halimede_device::{Device, Options};
use halimede_poseidon::operations::{FilecoinHash, StarknetHash};
use halimede_secp256k1::known_answers::known_answers;
use halimede_secp256k1::operations::Verify;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

const SEED: u64 = 20_261_124;

/// The number of kills: few, or a thousand in a sweep (`make test-all`).
fn kills() -> u64 {
    if is_sweep() {
        1_000
    } else {
        16
    }
}

/// A simulated card, and how to kill it.
fn card() -> (Device, String) {
    let simulated = Simulated::start(&SimulatorOptions::default(), Duration::from_secs(5)).unwrap();
    let process = simulated.process_id().to_string();
    let card = Card::open("sim", Box::new(simulated), CardOptions::default()).unwrap();
    (Device::from_card(card, &Options::default()).with_fallback(Device::cpu()), process)
}

/// Executes a batch on a card that is killed after a while. Returns the number of requests that the
/// fallback answered; 0 if the batch was faster.
fn kill_in_batch<Op>(requests: &[Op::Request], delay: Duration) -> usize
where
    Op: Compute,
    Op::Reply: PartialEq,
{
    let (device, process) = card();
    let (ended, is_ended) = channel::<()>();
    let killer = thread::spawn(move || {
        let _ = is_ended.recv_timeout(delay);
        std::process::Command::new("kill").args(["-9", &process]).status().unwrap();
    });
    let batch = Execute::<Op>::execute(&device, Op::batch(requests)).unwrap();
    drop(ended);
    killer.join().unwrap();
    assert!(batch.replies == Op::compute_batch(Op::batch(requests)), "{} wrong", Op::NAME);
    batch.timing.fallback_requests
}

fn message(generator: &mut ChaCha8Rng) -> HashRequest {
    let mut data = vec![0; generator.gen_range(0..6000)];
    generator.fill_bytes(&mut data);
    HashRequest::digest(&Mode::Hash.into(), data)
}

#[test]
fn a_card_killed_at_any_moment_leaves_right_answers() {
    if !has_simulator() {
        return;
    }
    println!("seed {SEED}");
    let generator = &mut cases::generator(SEED);
    let known = known_answers().unwrap();
    let signatures: Vec<_> = known.into_iter().map(|known| Ok(known.request)).collect();
    let (mut struck, mut by_fallback) = (0, 0);
    for kill in 0..kills() {
        let delay = Duration::from_micros(generator.gen_range(0..150_000));
        let count = match kill % 4 {
            0 => kill_in_batch::<StarknetHash>(&cases::starknet_inputs(400, kill), delay),
            1 => kill_in_batch::<FilecoinHash>(&cases::preimages(120, kill), delay),
            2 => {
                let messages: Vec<_> = (0..200).map(|_| message(generator)).collect();
                kill_in_batch::<Hash>(&messages, delay)
            }
            _ => {
                let first = generator.gen_range(0..signatures.len() - 12);
                kill_in_batch::<Verify>(&signatures[first..first + 12], delay)
            }
        };
        struck += usize::from(count > 0);
        by_fallback += count;
    }
    println!("{} kills, {struck} in a batch, {by_fallback} answers by the fallback", kills());
    assert!(struck > kills() as usize / 3, "{struck} kills struck");
}
