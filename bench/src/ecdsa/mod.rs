// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA over secp256k1: batches against a loop over libsecp256k1, with and without repeated keys;
//! Schnorr signatures, recovered keys and half-aggregates.

mod further;
mod half_aggregates;

use std::hint::black_box;
use std::sync::Arc;

use halimede_arith::Backend;
use halimede_secp256k1::secp256k1::ecdsa::{self, Signature};
use halimede_secp256k1::secp256k1::{Message, PublicKey, SecretKey};
use halimede_secp256k1::{Format, KeyCache, Rejection, Rules, Verifier};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::card_table::figure;
use crate::comparison::{in_a_loop, Comparison};

const PEER: &str = "secp256k1 0.33, in a loop";

const README: &str = include_str!("../../../engines/secp256k1/README.md");

/// The note below the table: a published engine's rate, and the simulated card's clocks.
pub fn note() -> String {
    let clocks = figure(README, "64", "clocks a signature").unwrap_or("not measured");
    format!(
        "published FPGA engine: 20 k signatures a second and core, 50 us each, 10,100 clocks\n\
         the card, simulated: {clocks} clocks a signature and core"
    )
}

/// The number of signatures of a large batch.
const BATCH: usize = 1000;

/// The encoding of keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyForm {
    Compressed,
    Uncompressed,
}

/// The contents of a batch.
#[derive(Clone, Copy)]
struct Case {
    /// The number of signatures.
    batch: usize,
    format: Format,
    form: KeyForm,
    /// The number of different keys.
    keys: usize,
    /// True if ours caches parsed keys.
    cached: bool,
    /// True if all signatures are of another digest.
    invalid: bool,
    aim: f64,
}

const CASE: Case = Case {
    batch: BATCH,
    format: Format::Der,
    form: KeyForm::Compressed,
    keys: BATCH,
    cached: false,
    invalid: false,
    aim: 1.0,
};

const CASES: [Case; 12] = [
    CASE,
    Case { format: Format::Compact, ..CASE },
    Case { format: Format::DerLax, ..CASE },
    Case { form: KeyForm::Uncompressed, ..CASE },
    Case { keys: 10, ..CASE },
    Case { keys: 10, cached: true, aim: 1.05, ..CASE },
    Case { invalid: true, ..CASE },
    Case { batch: 1, ..CASE },
    Case { batch: 3, ..CASE },
    Case { batch: 8, ..CASE },
    Case { batch: 64, ..CASE },
    Case { batch: 64, invalid: true, ..CASE },
];

impl Case {
    fn name(&self) -> String {
        let Self { batch, format, form, keys, cached, invalid, .. } = self;
        let format = match format {
            Format::Der => "DER",
            Format::DerLax => "lax DER",
            Format::Compact => "compact",
        };
        let form = match form {
            KeyForm::Compressed => "compressed",
            KeyForm::Uncompressed => "uncompressed",
        };
        let cache = if *cached { ", cached" } else { "" };
        let verdict = if *invalid { ", invalid" } else { "" };
        let keys = batch.min(keys);
        let batch = if *batch == BATCH { String::new() } else { format!(", batch of {batch}") };
        let plural = if *keys == 1 { "key" } else { "keys" };
        format!("{format}, {keys} {form} {plural}{cache}{verdict}{batch}")
    }
}

/// A signature as bytes.
struct Signed {
    key: Vec<u8>,
    digest: [u8; 32],
    signature: Vec<u8>,
}

/// Random signatures of random digests under random keys.
fn signatures(case: &Case) -> Result<Vec<Signed>, String> {
    let mut random = ChaCha8Rng::seed_from_u64(case.keys as u64);
    let secrets: Result<Vec<SecretKey>, _> =
        (0..case.keys).map(|_| SecretKey::from_secret_bytes(random.gen())).collect();
    let secrets = secrets.map_err(|error| error.to_string())?;
    let mut signed = |number: usize| {
        let secret = &secrets[number % secrets.len()];
        let key = PublicKey::from_secret_key(secret);
        let mut digest: [u8; 32] = random.gen();
        let signature = ecdsa::sign(Message::from_digest(digest), secret);
        digest[number % 32] ^= u8::from(case.invalid);
        Signed {
            key: match case.form {
                KeyForm::Compressed => key.serialize().to_vec(),
                KeyForm::Uncompressed => key.serialize_uncompressed().to_vec(),
            },
            digest,
            signature: match case.format {
                Format::Compact => signature.serialize_compact().to_vec(),
                Format::Der | Format::DerLax => signature.serialize_der().to_vec(),
            },
        }
    };
    Ok((0..case.batch).map(&mut signed).collect())
}

/// The loop that a user of libsecp256k1 writes.
fn by_the_library(format: Format, signed: &Signed) -> bool {
    let parsed = match format {
        Format::Der => Signature::from_der(&signed.signature),
        Format::DerLax => Signature::from_der_lax(&signed.signature),
        Format::Compact => Signature::from_compact(&signed.signature),
    };
    let (Ok(key), Ok(mut signature)) = (PublicKey::from_slice(&signed.key), parsed) else {
        return false;
    };
    signature.normalize_s();
    signature.verify(Message::from_digest(signed.digest), &key).is_ok()
}

/// Our verdicts.
fn verify(verifier: &Verifier, signed: &[Signed]) -> Vec<Result<(), Rejection>> {
    let keys: Vec<&[u8]> = signed.iter().map(|signed| &signed.key[..]).collect();
    let digests: Vec<&[u8]> = signed.iter().map(|signed| &signed.digest[..]).collect();
    let signatures: Vec<&[u8]> = signed.iter().map(|signed| &signed.signature[..]).collect();
    verifier.verify_batch(&keys[..], &digests[..], &signatures[..])
}

/// Batches of each kind on the current pool of `threads`, with the peer's loop divided over the
/// same threads.
///
/// # Errors
/// If ours and the peer give different verdicts, or other verdicts than intended.
pub fn comparisons(threads: usize) -> Result<Vec<Comparison>, String> {
    let comparisons: Result<Vec<Comparison>, String> =
        CASES.iter().map(|case| comparison(case, threads)).collect();
    let mut comparisons = comparisons?;
    comparisons.extend(further::comparisons(threads)?);
    comparisons.extend(half_aggregates::comparisons(threads)?);
    Ok(comparisons)
}

fn comparison(case: &Case, threads: usize) -> Result<Comparison, String> {
    let Case { batch, format, cached, invalid, aim, .. } = *case;
    // The target: full lanes are four times as fast.
    let in_lanes = batch >= 64 && Backend::active() == Backend::Avx512Ifma;
    let aim = if in_lanes { 4.0 } else { aim };
    let name = case.name();
    let signed = Arc::new(signatures(case)?);
    let verifier =
        Verifier::with_cache(Rules { format, low_s: false }, cached.then(KeyCache::default));
    let verdicts: Vec<bool> = verify(&verifier, &signed).iter().map(Result::is_ok).collect();
    let expected: Vec<bool> = signed.iter().map(|signed| by_the_library(format, signed)).collect();
    let valid = expected.iter().filter(|valid| **valid).count();
    if verdicts != expected || valid != if invalid { 0 } else { batch } {
        return Err(format!("{name}: the verdicts differ"));
    }
    let (ours, theirs) = (Arc::clone(&signed), signed);
    Ok(Comparison {
        engine: "ecdsa",
        case: name,
        threads,
        units_a_call: batch,
        unit: "us/signature",
        unit_ns: 1000.0,
        backend: Backend::active().name(),
        ours: Box::new(move || {
            black_box(verify(&verifier, black_box(&ours)));
        }),
        peer: PEER,
        theirs: Some(Box::new(move || {
            let check = |signed: &Signed| by_the_library(format, signed);
            black_box(in_a_loop(black_box(&theirs), check));
        })),
        theirs_factor: 1.0,
        aim: Some(aim),
    })
}
