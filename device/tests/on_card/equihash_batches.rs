// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash on the simulated card against the processor: a real block, also with flipped bits, the
//! published vectors, and made-up solutions of every parameter set.

use crate::common::{card_device, has_card, is_sweep};
use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_device::Device;
use halimede_equihash::operations::{Verify, VerifyRequest, HEADER_BYTES};
use halimede_equihash::{minimal_from_indices, Check, Mask, Params};
use halimede_poseidon::operations::{StarknetHash, StarknetInput};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Seed of the random cases.
const SEED: u64 = 20_261_122;

const BLOCK_346: &str = include_str!("../../../engines/equihash/vectors/zcash_block_346.hex");
const VECTORS: &str = include_str!("../../../engines/equihash/vectors/equihash.json");

/// The offset of a header's compact target.
const BITS_OFFSET: usize = 104;
/// A target that every second hash meets.
const EASY_BITS: [u8; 4] = 0x200F_0F0Fu32.to_le_bytes();

/// Returns the card if the simulator has been built with the engine.
fn card() -> Option<Device> {
    if !has_card() {
        return None;
    }
    let device = card_device();
    let engine = device.capabilities().engines.iter().find(|engine| engine.name == "equihash");
    let engine = engine.unwrap_or_else(|| panic!("the simulated card has no Equihash"));
    assert_eq!(engine.instances, Params::USUAL.map(|set| set.to_string()));
    assert!(device.capabilities().has::<Verify>());
    Some(device)
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.trim().len()).step_by(2).map(byte).collect()
}

/// The header and the solution of the block, without the length between them.
fn block() -> Vec<u8> {
    let mut bytes = bytes_of(&BLOCK_346[..2 * (HEADER_BYTES + 3 + 1344)]);
    bytes.drain(HEADER_BYTES..HEADER_BYTES + 3);
    bytes
}

fn request(params: Params, header_and_solution: &[u8]) -> VerifyRequest {
    let (header, solution) = header_and_solution.split_first_chunk().unwrap();
    VerifyRequest::of_header(params, *header, solution).unwrap()
}

/// Returns the card's masks, and checks that they equal the processor's.
fn masks(device: &Device, requests: &[VerifyRequest]) -> Vec<Mask> {
    let replies = Execute::<Verify>::execute(device, Verify::batch(requests)).unwrap().replies;
    let expected =
        Execute::<Verify>::execute(&Device::cpu(), Verify::batch(requests)).unwrap().replies;
    for (number, (reply, expected)) in replies.iter().zip(&expected).enumerate() {
        let params = requests[number].params();
        assert_eq!(reply, expected, "request {number} of {params}: {reply}, not {expected}");
    }
    assert_eq!(replies.len(), requests.len());
    replies
}

#[test]
fn a_real_block_and_flipped_bits_of_it() {
    let Some(device) = card() else { return };
    let mut generator = ChaCha8Rng::seed_from_u64(SEED);
    let whole = block();
    let mut requests = vec![request(Params::ZCASH, &whole)];
    // Some bits of the header, some of the solution.
    let count = if is_sweep() { 200 } else { 20 };
    for number in 0..count {
        let bytes = [0..HEADER_BYTES, HEADER_BYTES..whole.len()][number % 2].clone();
        let (byte, bit) = (generator.gen_range(bytes), generator.gen_range(0..8));
        let mut flipped = whole.clone();
        flipped[byte] ^= 1 << bit;
        requests.push(request(Params::ZCASH, &flipped));
    }
    let masks = masks(&device, &requests);
    assert_eq!(masks[0], Mask::VALID);
    for (number, mask) in masks.iter().enumerate().skip(1) {
        // The hash differs, and so do some of the leaves.
        let is_told = mask.has(Check::Difficulty) && mask.has(Check::Collision);
        assert!(is_told && mask.has(Check::Xor), "flip {number}: {mask}");
        assert_eq!(mask.first(), Some(Check::Difficulty));
    }
}

#[test]
fn the_published_vectors_with_a_header() {
    let Some(device) = card() else { return };
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let (mut requests, mut verdicts) = (Vec::new(), Vec::new());
    for case in vectors["cases"].as_array().unwrap() {
        let number = |key: &str| u32::try_from(case[key].as_u64().unwrap()).unwrap();
        let params = Params::new(number("n"), number("k")).unwrap();
        let mut bytes = bytes_of(case["input"].as_str().unwrap());
        let indices = case["indices"].as_array().unwrap();
        let indices: Vec<u32> =
            indices.iter().map(|index| u32::try_from(index.as_u64().unwrap()).unwrap()).collect();
        let Ok(solution) = minimal_from_indices(params, &indices) else { continue };
        if bytes.len() != HEADER_BYTES || !Params::USUAL.contains(&params) {
            continue;
        }
        bytes.extend(solution);
        requests.push(request(params, &bytes));
        verdicts.push(case["verdict"].as_str().unwrap());
    }
    assert!(requests.len() >= 60, "{} vectors", requests.len());
    for (mask, verdict) in masks(&device, &requests).iter().zip(&verdicts) {
        let mut mask = mask.bits();
        mask &= !1; // their headers meet no target
        let wanted = match *verdict {
            "valid" => None,
            "duplicate" => Some(Check::Duplicate),
            "index_order" => Some(Check::IndexOrder),
            "collision" => Some(Check::Collision),
            _ => Some(Check::Xor),
        };
        match wanted {
            None => assert_eq!(mask, 0),
            Some(check) => assert!(Mask::from_bits(mask).unwrap().has(check), "{verdict}"),
        }
    }
}

/// Indices that fail in different ways: random, few distinct ones, sorted, in pairs.
fn indices(generator: &mut ChaCha8Rng, params: Params) -> Vec<u32> {
    let limit = 1 << params.index_bits();
    let distinct = match generator.gen_range(0..3) {
        0 => 2,
        1 => params.indices() / 2,
        _ => 1 << 20,
    };
    let some: Vec<u32> = (0..distinct).map(|_| generator.gen_range(0..limit)).collect();
    let mut indices: Vec<u32> =
        (0..params.indices()).map(|_| some[generator.gen_range(0..some.len())]).collect();
    match generator.gen_range(0..3) {
        0 => indices.sort_unstable(),
        1 => (0..indices.len()).step_by(2).for_each(|at| indices[at + 1] = indices[at]),
        _ => {}
    }
    indices
}

fn random_request(generator: &mut ChaCha8Rng) -> VerifyRequest {
    let params = Params::USUAL[generator.gen_range(0..Params::USUAL.len())];
    let mut header = [0; HEADER_BYTES];
    generator.fill_bytes(&mut header);
    if generator.gen_bool(0.8) {
        header[BITS_OFFSET..BITS_OFFSET + 4].copy_from_slice(&EASY_BITS);
    }
    let solution = minimal_from_indices(params, &indices(generator, params)).unwrap();
    VerifyRequest::of_header(params, header, solution).unwrap()
}

#[test]
fn solutions_of_every_set_beside_other_work() {
    let Some(device) = card() else { return };
    let mut generator = ChaCha8Rng::seed_from_u64(SEED ^ 1);
    let count = if is_sweep() { 2000 } else { 200 };
    let requests: Vec<VerifyRequest> = (0..count).map(|_| random_request(&mut generator)).collect();
    let found = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let inputs: Vec<StarknetInput> =
                (1..300u64).map(|n| StarknetInput::Single(n.into())).collect();
            let replies = Execute::<StarknetHash>::execute(&device, &inputs).unwrap().replies;
            let expected = Execute::<StarknetHash>::execute(&Device::cpu(), &inputs).unwrap();
            assert_eq!(replies, expected.replies);
        });
        let found = masks(&device, &requests);
        other.join().unwrap();
        found
    });
    for check in Check::ALL {
        let failed = found.iter().filter(|mask| mask.has(check)).count();
        assert!(0 < failed && failed < found.len(), "{check:?} fails {failed} times");
    }
}

#[test]
fn what_the_card_has_no_parameters_for_is_told_before_anything_is_sent() {
    let Some(device) = card() else { return };
    let params = Params::new(72, 5).unwrap();
    let solution = vec![7; params.solution_bytes()];
    let request = VerifyRequest::of_header(params, [3; HEADER_BYTES], solution).unwrap();
    let error = Execute::<Verify>::execute(&device, Verify::batch(&[request])).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("(200, 9), (144, 5)"), "{error}");
}
