// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Half-aggregate signatures (a BIP draft) verified by one sum, against a loop over libsecp256k1
//! that verifies the single signatures.

use std::hint::black_box;

use halimede_arith::Backend;
use halimede_secp256k1::half_aggregate::{aggregate, HalfAggregateRequest, OwnedSigner};
use halimede_secp256k1::schnorr::{SchnorrRequest, Signed};

use super::further::{schnorr_by_the_library, schnorr_requests};
use super::PEER;
use crate::comparison::{in_a_loop, Comparison};

/// The numbers of signatures of an aggregate.
const SIZES: [usize; 7] = [1, 2, 8, 64, 256, 1024, 8192];

fn comparison(size: usize, threads: usize) -> Result<Comparison, String> {
    let requests = schnorr_requests(size, true)?;
    let signed: Vec<Signed<'_>> = requests.iter().map(SchnorrRequest::signed).collect();
    let aggregate = aggregate(&signed).map_err(|error| error.to_string())?;
    let owned =
        |it: &SchnorrRequest| OwnedSigner { key: it.key.clone(), message: it.message.clone() };
    let request = HalfAggregateRequest { signers: requests.iter().map(owned).collect(), aggregate };
    let mut changed = request.clone();
    if let Some(signer) = changed.signers.last_mut() {
        signer.message.fill(0x5a);
    }
    let is_right = request.verify().is_ok() && changed.verify().is_err();
    if !is_right || !requests.iter().all(schnorr_by_the_library) {
        return Err(format!("half-aggregate of {size}: the verdicts differ"));
    }
    let in_lanes = size >= 1024 && Backend::active() == Backend::Avx512Ifma;
    Ok(Comparison {
        engine: "ecdsa",
        case: format!("half-aggregate of {size}"),
        threads,
        units_a_call: size,
        unit: "us/signature",
        unit_ns: 1000.0,
        backend: Backend::active().name(),
        ours: Box::new(move || {
            black_box(black_box(&request).verify().is_ok());
        }),
        peer: PEER,
        theirs: Some(Box::new(move || {
            black_box(in_a_loop(black_box(&requests), schnorr_by_the_library));
        })),
        theirs_factor: 1.0,
        aim: in_lanes.then_some(7.0),
    })
}

/// Aggregates on the current pool of `threads`, with the peer's loop divided over the same threads.
///
/// # Errors
/// If ours and the peer give different answers.
pub(super) fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    SIZES.into_iter().map(|size| comparison(size, threads)).collect()
}
