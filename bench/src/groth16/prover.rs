// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transforms over the scalar field and proofs of Sapling's spends and outputs, against bellman's,
//! on one thread. Our proofs are verified before they are returned, bellman's are not.

use std::hint::black_box;
use std::sync::Arc;

use bellman::domain::{EvaluationDomain, Scalar as Element};
use bellman::multicore::Worker;
use bellman::Circuit;
use bls12_381::{Bls12, Scalar};
use groth16::{create_proof, Parameters};
use halimede_arith::transform::{Domain, Generator};
use halimede_bls12_381::groth16::prove::circuit::assign;
use halimede_bls12_381::groth16::prove::{Blinding, PointChecks, ProvingKey};
use halimede_bls12_381::{reduced, Fr};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sapling_crypto::circuit::{Output, OutputParameters, Spend, SpendParameters};
use sapling_crypto::prover::{OutputProver, SpendProver};
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor};
use sapling_crypto::zip32::ExtendedSpendingKey;
use sapling_crypto::{CommitmentTree, IncrementalWitness, Node, Rseed};

use super::factors::PeerRng;
use super::text;
use crate::bls12_381::in_lanes;
use crate::comparison::Comparison;

const PEER: &str = "bellman 0.15";

/// `count` transforms of 2^log_size elements.
fn transforms(log_size: u32, count: usize) -> Result<Comparison, String> {
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(log_size));
    let input: Vec<Fr> = (0..1 << log_size).map(|_| reduced(&random.gen())).collect();
    let domain = Domain::new(Generator::Seven, log_size).ok_or("the domain is too large")?;
    let their = |values: &[Fr]| {
        let value = |value: &Fr| -> Option<Scalar> {
            Option::from(Scalar::from_bytes(&value.to_le_bytes()))
        };
        let values = values.iter().map(value).map(|value| value.map(Element));
        let values = values.collect::<Option<Vec<_>>>().ok_or("a value above r")?;
        EvaluationDomain::from_coeffs(values).map_err(text)
    };
    let (mut ours, mut theirs, worker) = (input.clone(), their(&input)?, Worker::new());
    domain.evaluate(&mut ours);
    theirs.fft(&worker);
    let are_equal = ours
        .iter()
        .zip(theirs.as_ref())
        .all(|(ours, theirs)| ours.to_le_bytes() == theirs.0.to_bytes());
    if !are_equal {
        return Err(format!("transforms of 2^{log_size} differ"));
    }
    let name = format!("transform-2^{log_size}-{count}");
    Ok(in_lanes(
        "groth16",
        PEER,
        (name, count, None),
        move || (0..count).for_each(|_| domain.evaluate(black_box(&mut ours))),
        move || (0..count).for_each(|_| black_box(&mut theirs).fft(&worker)),
    ))
}

/// A spend of a note in a tree of seven, and an output.
fn circuits() -> Option<(Spend, Output)> {
    let mut random = PeerRng(ChaCha8Rng::seed_from_u64(17));
    let key = ExtendedSpendingKey::master(&random.0.gen::<[u8; 32]>())?;
    let (_, address) = key.default_address();
    let mut note =
        |value| address.create_note(NoteValue::from_raw(value), Rseed::AfterZip212(random.0.gen()));
    let mut tree = CommitmentTree::empty();
    for value in 0..4 {
        tree.append(Node::from_cmu(&note(value).cmu())).ok()?;
    }
    let own = note(123_456);
    tree.append(Node::from_cmu(&own.cmu())).ok()?;
    let mut witness = IncrementalWitness::from_tree(tree)?;
    for value in 0..2 {
        witness.append(Node::from_cmu(&note(value).cmu())).ok()?;
    }
    let spend = <SpendParameters as SpendProver>::prepare_circuit(
        key.expsk().proof_generation_key(),
        *own.recipient().diversifier(),
        *own.rseed(),
        own.value(),
        jubjub::Fr::from_raw(random.0.gen()),
        ValueCommitTrapdoor::random(&mut random),
        Option::from(Scalar::from_bytes(&witness.root().to_bytes()))?,
        witness.path()?,
    )?;
    let output = <OutputParameters as OutputProver>::prepare_circuit(
        &own.generate_or_derive_esk(&mut random),
        own.recipient(),
        own.rcm(),
        own.value(),
        ValueCommitTrapdoor::random(&mut random),
    );
    Some((spend, output))
}

fn proofs<C>(name: &str, circuit: C, parameters: &[u8]) -> Result<Comparison, String>
where
    C: Circuit<Scalar> + Clone + 'static,
{
    let (key, _) = ProvingKey::read_prefix(parameters, PointChecks::Curve).map_err(text)?;
    let parameters = Arc::new(Parameters::<Bls12>::read(parameters, false).map_err(text)?);
    let our_circuit = circuit.clone();
    let ours = move || {
        let assignment = assign(our_circuit.clone()).map_err(text)?;
        let blinding = Blinding::of(Fr::from(11), Fr::from(13));
        key.prove_with(assignment, blinding).map_err(text)
    };
    let theirs = move || {
        let (r, s) = (Scalar::from(11), Scalar::from(13));
        let proof = create_proof::<Bls12, _, _>(circuit.clone(), &*parameters, r, s);
        let mut bytes = Vec::new();
        proof.map_err(text)?.write(&mut bytes).map_err(text)?;
        Ok::<_, String>(bytes)
    };
    if ours()?[..] != theirs()? {
        return Err(format!("{name}: the proofs differ"));
    }
    Ok(in_lanes(
        "groth16",
        PEER,
        (name.into(), 1, None),
        move || drop(black_box(ours())),
        move || drop(black_box(theirs())),
    ))
}

/// All cases.
///
/// # Errors
/// If the answers differ.
pub fn comparisons() -> Result<Vec<Comparison>, String> {
    let (spend, output) = circuits().ok_or("the notes make no circuits")?;
    let (of_spend, of_output) = wagyu_zcash_parameters::load_sapling_parameters();
    Ok(vec![
        transforms(17, 1)?,
        transforms(12, 64)?,
        proofs("sapling-spend", spend, &of_spend)?,
        proofs("sapling-output", output, &of_output)?,
    ])
}
