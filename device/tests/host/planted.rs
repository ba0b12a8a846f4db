// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The self-test finds a wrong answer of every operation.

use std::sync::Arc;

use halimede_arith::job::{
    Answered, AtOnce, Attempts, Compute, DeviceError, Executor, Limits, Timing, Unsupported,
};
use halimede_arith::{Felt, Field, Fr};
use halimede_bls12_381::operations::{
    Evaluate, RunPrecompile, VerifyAggregate, VerifyCell, VerifyOpening, VerifyPossession,
    VerifyProof, VerifySignature,
};
use halimede_ckks::executor::{
    ExecutorError, ProcessorPrograms, ProgramConstants, ProgramExecutor, ProgramPlace, Resident,
};
use halimede_ckks::ring::{Polynomial, Program};
use halimede_ckks::Parameters;
use halimede_device::{Device, Options, Registry};
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_equihash::Mask;
use halimede_poseidon::operations::{
    CircomHash, FilecoinHash, Permute, RunPoseidon2, StarknetHash,
};
use halimede_poseidon::poseidon2::Elements;
use halimede_secp256k1::operations::{
    HalfAggregate, Recover, Verify as VerifyEcdsa, VerifyHalfAggregate, VerifySchnorr,
};

/// A place that computes replies and changes them.
struct Changing<Op: Compute>(fn(Op::Reply) -> Op::Reply);

impl<Op: Compute> Executor<Op> for Changing<Op> {
    fn limits(&self) -> Limits {
        Limits { may_fail: false, ..Limits::default() }
    }

    fn supports(&self, _: Op::Batch<'_>) -> Result<(), Vec<Unsupported>> {
        Ok(())
    }

    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        let replies = Op::compute_batch(batch).into_iter().map(self.0).collect();
        Ok(Answered { replies, timing: Timing::default() })
    }

    fn attempts(&self, _: usize) -> Box<dyn Attempts<Op> + '_> {
        Box::new(AtOnce::new(self))
    }
}

/// All operations of the table, with right answers.
fn right() -> Registry {
    use halimede_blake3::operations::Hash;
    Registry::default()
        .with::<Permute>(Changing(|reply| reply))
        .with::<FilecoinHash>(Changing(|reply| reply))
        .with::<StarknetHash>(Changing(|reply| reply))
        .with::<Hash>(Changing(|reply| reply))
        .with::<VerifySolution>(Changing(|reply| reply))
        .with::<VerifyEcdsa>(Changing(|reply| reply))
        .with::<VerifySchnorr>(Changing(|reply| reply))
        .with::<Recover>(Changing(|reply| reply))
        .with::<VerifySignature>(Changing(|reply| reply))
        .with::<VerifyAggregate>(Changing(|reply| reply))
        .with::<VerifyPossession>(Changing(|reply| reply))
        .with::<VerifyOpening>(Changing(|reply| reply))
        .with::<VerifyProof>(Changing(|reply| reply))
        .with::<Evaluate>(Changing(|reply| reply))
        .with::<RunPrecompile>(Changing(|reply| reply))
        .with::<CircomHash>(Changing(|reply| reply))
        .with::<RunPoseidon2>(Changing(|reply| reply))
        .with::<VerifyHalfAggregate>(Changing(|reply| reply))
        .with::<HalfAggregate>(Changing(|reply| reply))
}

/// The checks that fail on a device with this registry.
fn failed(registry: Registry) -> Vec<String> {
    let device = Device::with_executors("planted", registry, &Options::default());
    let checks = device.selftest().unwrap();
    checks.into_iter().filter(|check| !check.passed).map(|check| check.name).collect()
}

/// The checks that fail if the replies of one operation are changed.
fn planted<Op: Compute>(change: fn(Op::Reply) -> Op::Reply) -> Vec<String> {
    failed(right().with::<Op>(Changing(change)))
}

fn last_byte_flipped(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(byte) = bytes.last_mut() {
        *byte ^= 1;
    }
    bytes
}

fn last_element_changed(reply: &Elements) -> Elements {
    let mut numbers = reply.to_le_bytes();
    if let Some(number) = numbers.last_mut() {
        number[0] ^= 1;
    }
    Elements::from_le_bytes(reply.field(), &numbers).unwrap()
}

/// A place that runs CKKS programs and swaps the parts of their results.
struct Swapping;

/// The executor of [`Swapping`].
struct Swapped(ProcessorPrograms);

impl ProgramPlace for Swapping {
    fn executor(&self, parameters: &Parameters) -> Result<Arc<dyn ProgramExecutor>, ExecutorError> {
        Ok(Arc::new(Swapped(ProcessorPrograms::new(parameters))))
    }
}

impl ProgramExecutor for Swapped {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn upload(&self, parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        self.0.upload(parts)
    }

    fn download(&self, resident: &Resident) -> Result<[Polynomial; 2], ExecutorError> {
        let [a, b] = self.0.download(resident)?;
        Ok([b, a])
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        self.0.run(program, held, inputs)
    }
}

#[test]
fn a_wrong_result_of_a_ckks_program_is_found() {
    assert_eq!(failed(right().with_programs(Swapping)), ["ckks n10-insecure"]);
}

#[test]
fn nothing_fails_where_all_answers_are_right() {
    assert_eq!(failed(right()), [""; 0]);
}

#[test]
fn a_wrong_answer_of_each_operation_is_found() {
    let has = |failed: Vec<String>, name: &str| {
        assert!(failed.iter().any(|check| check == name), "{name}: {failed:?}");
        let engine = name.split('.').next().unwrap();
        assert!(failed.iter().all(|check| check.starts_with(engine)), "{name}: {failed:?}");
    };
    has(planted::<Permute>(|state| Permute::compute(&state)), "poseidon.permute");
    has(planted::<FilecoinHash>(|digest| digest + Fr::from(1)), "poseidon.filecoin_hash");
    has(planted::<StarknetHash>(|digest| digest + Felt::from(1)), "poseidon.starknet_hash");
    has(planted::<CircomHash>(|digest| digest + Field::from(1)), "circom.hash");
    for name in ["poseidon2.permute", "poseidon2.compress", "poseidon2.hash"] {
        has(planted::<RunPoseidon2>(|reply| last_element_changed(&reply)), name);
    }
    for name in ["blake3.hash", "blake3.keyed_hash", "blake3.derive_key"] {
        has(planted::<halimede_blake3::operations::Hash>(last_byte_flipped), name);
    }
    has(planted::<RunPrecompile>(|reply| reply.map(last_byte_flipped)), "bls12_381.precompile");
    for name in [
        "bls12_381.pairing_check",
        "bls12_381.pairing_product",
        "bls12_381.sum",
        "bls12_381.sum_of_multiples",
        "bls12_381.hash_to_curve",
    ] {
        has(planted::<Evaluate>(|reply| reply.map(last_byte_flipped)), name);
    }
    has(
        planted::<Recover>(|reply| {
            reply.map(|mut key| {
                key.0[0] ^= 1;
                key
            })
        }),
        "secp256k1.recover",
    );
}

/// The worst wrong answer: everything is valid.
#[test]
fn a_check_that_always_holds_is_found() {
    let has = |failed: Vec<String>, name: &str| {
        assert!(failed.iter().any(|check| check == name), "{name}: {failed:?}");
    };
    has(planted::<VerifySolution>(|_| Mask::VALID), "equihash.verify");
    has(planted::<VerifyEcdsa>(|_| Ok(())), "secp256k1.verify");
    has(planted::<VerifySchnorr>(|_| Ok(())), "secp256k1.verify_schnorr");
    has(planted::<VerifyHalfAggregate>(|_| Ok(())), "secp256k1.verify_half_aggregate");
    has(planted::<HalfAggregate>(|reply| reply.map(last_byte_flipped)), "secp256k1.half_aggregate");
    has(planted::<VerifySignature>(|_| Ok(())), "bls12_381.verify_signature");
    has(planted::<VerifyAggregate>(|_| Ok(())), "bls12_381.verify_aggregate");
    has(planted::<VerifyPossession>(|_| Ok(())), "bls12_381.verify_possession");
    has(planted::<VerifyOpening>(|reply| reply.map(|_| true)), "kzg.verify_proof");
    has(planted::<VerifyCell>(|reply| reply.map(|_| true)), "kzg.verify_cell");
    has(planted::<VerifyProof>(|_| Ok(())), "groth16.verify");
    has(planted::<Evaluate>(|reply| reply.map(|_| vec![1])), "bls12_381.pairing_check");
}
