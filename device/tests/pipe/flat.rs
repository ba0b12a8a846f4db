// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The flat interface on the pipe and on the processor gives the same arrays.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use halimede_arith::interface::Settings;
use halimede_arith::job::{Bytes, DeviceError};
use halimede_blake3::{Mode, DIGEST_BYTES};
use halimede_device::call::{description, prepare, Column};
use halimede_device::flat::{self, blake3, ecdsa, FlatError, Messages};
use halimede_device::{interrupt, Device};
use halimede_equihash::known_answers::known_answers as known_solutions;
use halimede_equihash::Params;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::Strength;
use halimede_secp256k1::known_answers::known_answers as known_signatures;
use halimede_secp256k1::operations::Signatures;
use halimede_secp256k1::{Format, Rules, Verifier};

use crate::link::Behavior;
use crate::open;

/// The number of rows of every call, not a multiple of the eight lanes.
const ROWS: usize = 19;

/// Limbs of this number of elements below every modulus.
fn limbs(elements: usize) -> Vec<u64> {
    (0..4 * elements as u64).map(|limb| limb.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8).collect()
}

/// Checks that a call writes the same on the processor, on the pipe, on the pipe in pieces, and on
/// a pipe that needs its fallback.
fn same<T: PartialEq + std::fmt::Debug>(name: &str, call: impl Fn(&Device) -> T) {
    let expected = call(&Device::cpu());
    assert_eq!(call(&open(Behavior::Good, 0)), expected, "{name}");
    let in_pieces = interrupt::by(&Arc::default(), || call(&open(Behavior::Good, 0)));
    assert_eq!(in_pieces, expected, "{name}");
    for behavior in [Behavior::Picky, Behavior::HangUp(0), Behavior::LosesEveryOther] {
        let device = open(behavior, 0).with_fallback(Device::cpu());
        assert_eq!(call(&device), expected, "{name}, {behavior:?}");
    }
}

#[test]
fn poseidon() {
    same("permute", |device| {
        let mut states = limbs(3 * ROWS);
        flat::permute(device, "stark-3".parse().unwrap(), &mut states).unwrap();
        states
    });
    same("filecoin_hash", |device| {
        let hasher = Hasher::new(8, Strength::Standard, HashType::MerkleTree).unwrap();
        let mut digests = limbs(ROWS);
        flat::filecoin_hash(device, &hasher, 8, &limbs(8 * ROWS), &mut digests).unwrap();
        digests
    });
    same("starknet_hash", |device| {
        let mut digests = limbs(ROWS);
        flat::starknet_hash(device, &limbs(2 * ROWS), &mut digests).unwrap();
        digests
    });
    same("starknet_hash_many", |device| {
        let mut digests = limbs(3);
        let messages = Messages::Offsets(&[0, 5, 5, 19]);
        flat::starknet_hash_many(device, messages, &limbs(19), &mut digests).unwrap();
        digests
    });
    same("tree_root", |device| {
        let mut root = limbs(1);
        flat::tree_root(device, 2, Strength::Standard, &limbs(64), &mut root).unwrap();
        root
    });
}

#[test]
fn messages() {
    let data: Vec<u8> = (0..ROWS * 100).map(|byte| (byte * 31 % 251) as u8).collect();
    let mode = Mode::Keyed(std::array::from_fn(|byte| byte as u8 ^ 0x5A));
    same("hash_many", |device| {
        let messages = Bytes::Equal { data: &data, length: 100, count: ROWS };
        let mut digests = vec![[7; DIGEST_BYTES]; ROWS];
        blake3::hash_many(device, &mode, messages, &mut digests).unwrap();
        digests
    });
    for (seek, length) in [(0, 32), (60, 71), (5, 0)] {
        same("hash", |device| {
            let mut output = vec![7; length];
            blake3::hash(device, &mode, &data, seek, &mut output).unwrap();
            output
        });
    }
}

#[test]
fn solutions() {
    let known = known_solutions(Params::REGTEST).unwrap();
    let solutions: Vec<&[u8]> = known.iter().map(|answer| answer.request.solution()).collect();
    let headers: Vec<&[u8]> = known.iter().map(|answer| answer.request.input()).collect();
    // A length that no card supports.
    let others: Vec<&[u8]> =
        headers.iter().enumerate().map(|(row, header)| &header[row..]).collect();
    for (inputs, difficulty) in [(&headers, "true"), (&headers, "false"), (&others, "false")] {
        let mut settings = Settings::of(description("equihash.verify").unwrap().settings);
        for (name, value) in [("n", "48"), ("k", "5"), ("difficulty", difficulty)] {
            settings.set(name, value.into()).unwrap();
        }
        let call = prepare("equihash.verify", &settings.complete().unwrap()).unwrap();
        let columns = [inputs, &solutions].map(|column| Column::Values(column.clone()));
        same("equihash", |device| call.answer(device, &columns, inputs.len()).unwrap());
    }
}

#[test]
fn signatures() {
    let known = known_signatures().unwrap();
    let parts = known.iter().map(|answer| {
        let request = &answer.request;
        let key = [&[4][..], &request.x, &request.y].concat();
        (key, request.digest, [request.r, request.s].concat())
    });
    let parts: Vec<_> = parts.collect();
    let mut keys: Vec<&[u8]> = parts.iter().map(|(key, ..)| &key[..]).collect();
    let digests: Vec<&[u8]> = parts.iter().map(|(_, digest, _)| &digest[..]).collect();
    let signatures: Vec<&[u8]> = parts.iter().map(|(.., signature)| &signature[..]).collect();
    // A row that is refused before any device gets it.
    keys[3] = b"no key";
    let verifier = Verifier::new(Rules { format: Format::Compact, low_s: false });
    let signatures = Signatures::new(&verifier, &keys[..], &digests[..], &signatures[..]);
    same("ecdsa", |device| ecdsa::verify(device, signatures).unwrap());
}

#[test]
fn an_interrupt_ends_a_call_before_its_next_piece() {
    let flag = Arc::new(AtomicBool::new(true));
    for device in [Device::cpu(), open(Behavior::Good, 0)] {
        let (pairs, mut digests) = (limbs(2 * ROWS), limbs(ROWS));
        let done = interrupt::by(&flag, || flat::starknet_hash(&device, &pairs, &mut digests));
        let Err(FlatError::Device(DeviceError::Failed { request_index, requests, reason, .. })) =
            done
        else {
            panic!("it was not interrupted")
        };
        assert_eq!((request_index, requests, &reason[..]), (0, ROWS, "interrupted"));
        assert_eq!(digests, limbs(ROWS));
    }
}
