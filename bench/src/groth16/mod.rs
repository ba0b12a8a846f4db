// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs over BLS12-381 in batches, from bytes to verdicts, against bellman's crate
//! `groth16` and the same equation with blst, both one at a time, and against blst's product of all
//! proofs with random multipliers. Proofs of Sapling's circuits, and transforms, against bellman's.

mod by_blst;
#[path = "../../../engines/bls12_381/tests/common/factors.rs"]
mod factors;
mod prover;

use std::hint::black_box;
use std::sync::Arc;

use bls12_381::{Bls12, Scalar};
use groth16::{
    create_random_proof, generate_random_parameters, prepare_verifying_key, verify_proof,
    PreparedVerifyingKey,
};
use halimede_bls12_381::groth16::{verify_batch, Proof, VerifyingKey};
use halimede_bls12_381::Fr;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bls12_381::in_lanes;
use crate::comparison::Comparison;
use factors::{Factors, PeerRng};

/// A proof in bytes with its inputs, for both sides.
struct Row {
    proof: Vec<u8>,
    inputs: [Fr; 2],
    their_inputs: [Scalar; 2],
    /// blst's multiplier of the proof in a batch.
    multiplier: [u8; 16],
}

/// A key for all sides, and proofs under it.
struct Proofs {
    key: VerifyingKey,
    prepared: PreparedVerifyingKey<Bls12>,
    by_blst: by_blst::Key,
    rows: Vec<Row>,
}

fn text(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

impl Proofs {
    fn new(batch: usize) -> Result<Self, String> {
        let mut random = ChaCha8Rng::seed_from_u64(batch as u64);
        let mut peer_random = PeerRng(ChaCha8Rng::seed_from_u64(1));
        let circuit = Factors { secret: None };
        let parameters = generate_random_parameters(circuit, &mut peer_random).map_err(text)?;
        let mut bytes = Vec::new();
        parameters.vk.write(&mut bytes).map_err(text)?;
        let mut row = || {
            let (x, y): (u64, u64) = (random.gen(), random.gen());
            let their = (Scalar::from(x), Scalar::from(y));
            let circuit = Factors { secret: Some(their) };
            let made = create_random_proof(circuit, &parameters, &mut peer_random);
            let mut proof = Vec::new();
            made.map_err(text)?.write(&mut proof).map_err(text)?;
            Ok::<_, String>(Row {
                proof,
                inputs: [Fr::from(x) * Fr::from(y), Fr::from(x) + Fr::from(y)],
                their_inputs: [their.0 * their.1, their.0 + their.1],
                multiplier: random.gen(),
            })
        };
        Ok(Self {
            rows: (0..batch).map(|_| row()).collect::<Result<_, _>>()?,
            key: VerifyingKey::read(&bytes).map_err(text)?,
            prepared: prepare_verifying_key(&parameters.vk),
            by_blst: by_blst::Key::read(&bytes),
        })
    }

    fn by_ours(&self) -> bool {
        let proofs = self.rows.iter().map(|Row { proof, inputs, .. }| Proof { proof, inputs });
        let proofs: Vec<Proof<'_>> = proofs.collect();
        verify_batch(&self.key, &proofs).iter().all(Result::is_ok)
    }

    fn by_bellman(&self) -> bool {
        self.rows.iter().all(|row| {
            groth16::Proof::read(&row.proof[..])
                .is_ok_and(|proof| verify_proof(&self.prepared, &proof, &row.their_inputs).is_ok())
        })
    }

    fn by_blst(&self) -> bool {
        self.rows.iter().all(|row| self.by_blst.verify(&row.proof, &row.inputs))
    }

    fn by_blst_together(&self) -> bool {
        let rows = self.rows.iter();
        let rows = rows.map(|row| (&row.proof[..], &row.inputs[..], &row.multiplier));
        self.by_blst.verify_together(rows)
    }
}

/// All cases, always on one thread.
///
/// # Errors
/// If the verdicts differ.
pub fn comparisons(_: usize) -> Result<Vec<Comparison>, String> {
    let mut comparisons = Vec::new();
    for batch in [1, 2, 8, 64, 1024] {
        let mut proofs = Proofs::new(batch)?;
        let name = format!("proofs-{batch}");
        let verdicts = |proofs: &Proofs| {
            let alone = [proofs.by_bellman(), proofs.by_blst()];
            [proofs.by_ours(), proofs.by_blst_together(), alone[0], alone[1]]
        };
        // All detect an input of another proof.
        let last = batch - 1;
        let (ours, theirs) = (proofs.rows[last].inputs, proofs.rows[last].their_inputs);
        proofs.rows[last].inputs[1] += Fr::from(1);
        proofs.rows[last].their_inputs[1] += Scalar::from(1);
        let bad = verdicts(&proofs);
        (proofs.rows[last].inputs, proofs.rows[last].their_inputs) = (ours, theirs);
        if bad != [false; 4] || verdicts(&proofs) != [true; 4] {
            return Err(format!("{name}: the verdicts differ"));
        }
        let proofs = Arc::new(proofs);
        type Verify = fn(&Proofs) -> bool;
        // Each with its target ratio for 64 proofs and more.
        let peers: [(&str, Verify, f64); 3] = [
            ("groth16 0.2 (bellman), one at a time", Proofs::by_bellman, 8.0),
            ("blst 0.3, one at a time", Proofs::by_blst, 8.0),
            ("blst 0.3, batched", Proofs::by_blst_together, 4.0),
        ];
        for (peer, verify, aim) in peers {
            let (ours, theirs) = (Arc::clone(&proofs), Arc::clone(&proofs));
            let aim = match batch {
                1 => Some(0.97),
                64.. => Some(aim),
                _ => None,
            };
            comparisons.push(in_lanes(
                "groth16",
                peer,
                (name.clone(), batch, aim),
                move || {
                    black_box(black_box(&ours).by_ours());
                },
                move || {
                    black_box(verify(black_box(&theirs)));
                },
            ));
        }
    }
    comparisons.extend(prover::comparisons()?);
    Ok(comparisons)
}
