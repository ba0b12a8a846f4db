// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures made by `blst`, verified one at a time, together, and as aggregates.

use halimede_arith::job::{Compute, Operation};
use halimede_bls12_381::operations::{SignatureRequest, VerifySignature};
use halimede_bls12_381::signature::{
    aggregate, aggregate_verify, fast_aggregate_verify, verify, verify_aggregates, verify_batch,
    verify_possessions, Aggregate, Group, Rejection, Scheme, Signed, Suite,
};
use halimede_bls12_381::{Point, PointError, G1, G2};
use proptest::prelude::*;
use rand::{Rng, RngCore};

use crate::common::{cases, generator, random_bytes, stray_point};

/// A signer: its group, its public key, and its secret key in both variants.
struct Signer {
    group: Group,
    key: Vec<u8>,
    pk: blst::min_pk::SecretKey,
    sig: blst::min_sig::SecretKey,
}

impl Signer {
    fn new(group: Group, rng: &mut impl RngCore) -> Self {
        let material = random_bytes::<32>(rng);
        let pk = blst::min_pk::SecretKey::key_gen(&material, &[]).unwrap();
        let sig = blst::min_sig::SecretKey::key_gen(&material, &[]).unwrap();
        let key = match group {
            Group::MinPk => pk.sk_to_pk().to_bytes().to_vec(),
            Group::MinSig => sig.sk_to_pk().to_bytes().to_vec(),
        };
        Self { group, key, pk, sig }
    }

    fn sign_in(&self, domain: &[u8], prefix: &[u8], message: &[u8]) -> Vec<u8> {
        match self.group {
            Group::MinPk => self.pk.sign(message, domain, prefix).to_bytes().to_vec(),
            Group::MinSig => self.sig.sign(message, domain, prefix).to_bytes().to_vec(),
        }
    }

    fn sign(&self, suite: Suite, message: &[u8]) -> Vec<u8> {
        let prefix = if suite.scheme == Scheme::Augmented { &self.key[..] } else { &[] };
        self.sign_in(suite.domain(), prefix, message)
    }
}

/// Owned rows: key, message, signature.
type Row = (Vec<u8>, Vec<u8>, Vec<u8>);

fn borrowed(rows: &[Row]) -> Vec<Signed<'_>> {
    let rows = rows.iter();
    rows.map(|(key, message, signature)| Signed { key, message, signature }).collect()
}

#[test]
fn a_published_signature() {
    // From Ethereum's consensus tests, bls/sign: the message is 32 bytes 0x56.
    let key = "a491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20fd6e10c1b77654d067c0\
               618f6e5a7f79a";
    let signature =
        "882730e5d03f6b42c3abc26d3372625034e1d871b65a8a6b900a56dae22da98abbe1b68f85e49f\
                     e7652a55ec3d0591c20767677e33e5cbb1207315c41a9ac03be39c2e7668edc043d6cb1d9fd930\
                     33caa8a1c5b0e84bedaeb6c64972503a43eb";
    let (key, signature) = (hex::decode(key).unwrap(), hex::decode(signature).unwrap());
    let suite = Suite { group: Group::MinPk, scheme: Scheme::ProofOfPossession };
    let signed = Signed { key: &key, message: &[0x56; 32], signature: &signature };
    assert_eq!(verify(suite, signed), Ok(()));
    assert_eq!(verify(suite, Signed { message: &[0x57; 32], ..signed }), Err(Rejection::Mismatch));
}

#[test]
fn every_suite_and_every_pattern_of_equal_keys_and_messages() {
    let mut rng = generator();
    for suite in Suite::ALL {
        for (keys, messages) in [(1, 1), (1, 9), (9, 1), (3, 4), (9, 9)] {
            let signers: Vec<_> = (0..keys).map(|_| Signer::new(suite.group, &mut rng)).collect();
            let messages: Vec<[u8; 20]> = (0..messages).map(|_| random_bytes(&mut rng)).collect();
            let mut rows: Vec<Row> = (0..9)
                .map(|row| {
                    let (signer, message) = (&signers[row % keys], messages[row % messages.len()]);
                    (signer.key.clone(), message.to_vec(), signer.sign(suite, &message))
                })
                .collect();
            assert_eq!(verify_batch(suite, &borrowed(&rows)), vec![Ok(()); 9]);
            rows[4].1[3] ^= 1;
            rows[7].2 = rows[7].2.iter().rev().copied().collect();
            rows[7].2[0] = rows[8].2[0];
            let verdicts = verify_batch(suite, &borrowed(&rows));
            assert_eq!(verdicts[4], Err(Rejection::Mismatch));
            assert!(matches!(verdicts[7], Err(Rejection::Signature(_))));
            let good = verdicts.iter().enumerate().filter(|(_, verdict)| verdict.is_ok());
            assert_eq!(good.map(|(row, _)| row).collect::<Vec<_>>(), [0, 1, 2, 3, 5, 6, 8]);
            let alone = borrowed(&rows).into_iter().map(|row| verify(suite, row));
            assert_eq!(alone.collect::<Vec<_>>(), verdicts);
        }
    }
}

#[test]
fn signatures_of_one_suite_are_not_those_of_another() {
    let mut rng = generator();
    for made in Suite::ALL {
        let signer = Signer::new(made.group, &mut rng);
        let message = random_bytes::<40>(&mut rng);
        let signature = signer.sign(made, &message);
        for suite in Suite::ALL {
            let signed = Signed { key: &signer.key, message: &message, signature: &signature };
            assert_eq!(verify(suite, signed).is_ok(), suite == made, "{made:?} {suite:?}");
        }
    }
}

/// Sig₁ + D and Sig₂ − D, for a D chosen by the author of the batch: without multipliers the errors
/// would cancel.
#[test]
fn chosen_errors_that_cancel_are_named() {
    let mut rng = generator();
    let suite = Suite { group: Group::MinPk, scheme: Scheme::Basic };
    for distinct_messages in [true, false] {
        let mut rows: Vec<Row> = (0..12u8)
            .map(|row| {
                let signer = Signer::new(suite.group, &mut rng);
                let message = vec![if distinct_messages { row } else { 9 }; 33];
                (signer.key.clone(), message.clone(), signer.sign(suite, &message))
            })
            .collect();
        let error = Point::<G2>::generator().times(&12345.into());
        for (row, error) in [(2, error), (9, error.negated())] {
            let wrong = Point::<G2>::from_bytes(&rows[row].2).unwrap().plus(&error);
            rows[row].2 = wrong.to_compressed();
        }
        let sum = aggregate(suite.group, &rows.iter().map(|row| &row.2[..]).collect::<Vec<_>>());
        if distinct_messages {
            // The test relies on their validity as one aggregate.
            let keys: Vec<_> = rows.iter().map(|row| &row.0[..]).collect();
            let messages: Vec<_> = rows.iter().map(|row| &row.1[..]).collect();
            assert_eq!(aggregate_verify(suite, &keys, &messages, &sum.unwrap()), Ok(()));
        }
        for _ in 0..3 {
            let verdicts = verify_batch(suite, &borrowed(&rows));
            for (row, verdict) in verdicts.into_iter().enumerate() {
                let expected =
                    if [2, 9].contains(&row) { Err(Rejection::Mismatch) } else { Ok(()) };
                assert_eq!(verdict, expected, "{row}");
            }
        }
    }
}

#[test]
fn what_is_malformed_is_told_and_the_rest_is_answered() {
    let mut rng = generator();
    let suite = Suite { group: Group::MinPk, scheme: Scheme::ProofOfPossession };
    let signer = Signer::new(suite.group, &mut rng);
    let good = (signer.key.clone(), b"message".to_vec(), signer.sign(suite, b"message"));
    let infinity = Point::<G1>::default().to_compressed();
    let uncompressed = Point::<G1>::from_bytes(&good.0).unwrap().to_uncompressed();
    let length = |group, expected, got| PointError::Length { group, expected, got };
    let cases: Vec<(Row, Result<(), Rejection>)> = vec![
        (good.clone(), Ok(())),
        ((uncompressed, good.1.clone(), good.2.clone()), Ok(())),
        ((infinity, good.1.clone(), good.2.clone()), Err(Rejection::Key(PointError::Infinity))),
        (
            (stray_point::<G1>(&mut rng).to_compressed(), good.1.clone(), good.2.clone()),
            Err(Rejection::Key(PointError::WrongSubgroup)),
        ),
        (
            (good.0.clone(), good.1.clone(), stray_point::<G2>(&mut rng).to_compressed()),
            Err(Rejection::Signature(PointError::WrongSubgroup)),
        ),
        (
            (good.0.clone(), good.1.clone(), Point::<G2>::default().to_compressed()),
            Err(Rejection::Mismatch),
        ),
        ((vec![], good.1.clone(), good.2.clone()), Err(Rejection::Key(length("G1", 48, 0)))),
        (
            (good.0.clone(), good.1.clone(), good.0.clone()),
            Err(Rejection::Signature(length("G2", 96, 48))),
        ),
        (good.clone(), Ok(())),
    ];
    let rows: Vec<Row> = cases.iter().map(|(row, _)| row.clone()).collect();
    let expected: Vec<_> = cases.into_iter().map(|(_, expected)| expected).collect();
    assert_eq!(verify_batch(suite, &borrowed(&rows)), expected);
    assert_eq!(verify_batch(suite, &[]), []);
}

#[test]
fn aggregates() {
    let mut rng = generator();
    for suite in Suite::ALL {
        let signers: Vec<_> = (0..5).map(|_| Signer::new(suite.group, &mut rng)).collect();
        let keys: Vec<&[u8]> = signers.iter().map(|signer| &signer.key[..]).collect();
        let messages: Vec<[u8; 8]> = (0..5).map(|_| random_bytes(&mut rng)).collect();
        let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        let made: Vec<Vec<u8>> = signers
            .iter()
            .zip(&messages)
            .map(|(signer, message)| signer.sign(suite, message))
            .collect();
        let made: Vec<&[u8]> = made.iter().map(|signature| &signature[..]).collect();
        let sum = aggregate(suite.group, &made).unwrap();
        assert_eq!(aggregate_verify(suite, &keys, &messages, &sum), Ok(()));
        let mismatch = Err(Rejection::Mismatch);
        assert_eq!(aggregate_verify(suite, &keys, &messages, made[0]), mismatch);
        let swapped: Vec<&[u8]> = messages.iter().rev().copied().collect();
        assert_eq!(aggregate_verify(suite, &keys, &swapped, &sum), mismatch);
        let counts = Err(Rejection::Counts { keys: 5, messages: 4 });
        assert_eq!(aggregate_verify(suite, &keys, &messages[1..], &sum), counts);
        assert_eq!(aggregate_verify(suite, &[], &[], &sum), Err(Rejection::NoKeys));
        assert_eq!(aggregate(suite.group, &[]), Err(Rejection::NoKeys));
        let error = aggregate(suite.group, &[made[0], &made[1][1..]]).unwrap_err();
        assert!(matches!(error, Rejection::SignatureOf { index: 1, .. }));
        let error = aggregate_verify(suite, &[keys[0], made[0]], &messages[..2], &sum).unwrap_err();
        assert!(matches!(error, Rejection::KeyOf { index: 1, .. }));
        // Equal messages.
        let equal = [messages[0]; 5];
        let made: Vec<Vec<u8>> =
            signers.iter().map(|signer| signer.sign(suite, messages[0])).collect();
        let made: Vec<&[u8]> = made.iter().map(|signature| &signature[..]).collect();
        let sum = aggregate(suite.group, &made).unwrap();
        let expected = match suite.scheme {
            Scheme::Basic => Err(Rejection::EqualMessages { first: 0, second: 1 }),
            _ => Ok(()),
        };
        assert_eq!(aggregate_verify(suite, &keys, &equal, &sum), expected);
        if suite.scheme == Scheme::ProofOfPossession {
            let fast = Aggregate { keys: &keys, message: messages[0], signature: &sum };
            assert_eq!(fast_aggregate_verify(suite.group, fast), Ok(()));
            let others = [
                fast,
                Aggregate { keys: &keys[1..], ..fast },
                Aggregate { keys: &[], ..fast },
                Aggregate { message: messages[1], ..fast },
                Aggregate { keys: &keys[..1], message: messages[0], signature: made[0] },
            ];
            let expected = [Ok(()), mismatch.clone(), Err(Rejection::NoKeys), mismatch, Ok(())];
            assert_eq!(verify_aggregates(suite.group, &others), expected);
        }
    }
}

/// A key and its opposite add up to infinity, for which infinity is a signature of any message.
#[test]
fn keys_that_cancel_are_refused() {
    let mut rng = generator();
    let signer = Signer::new(Group::MinPk, &mut rng);
    let opposite = Point::<G1>::from_bytes(&signer.key).unwrap().negated().to_compressed();
    let signature = Point::<G2>::default().to_compressed();
    let keys = [&signer.key[..], &opposite[..]];
    let aggregate = Aggregate { keys: &keys, message: b"anything", signature: &signature };
    let expected = Err(Rejection::Key(PointError::Infinity));
    assert_eq!(fast_aggregate_verify(Group::MinPk, aggregate), expected);
}

#[test]
fn proofs_of_possession() {
    let mut rng = generator();
    for group in [Group::MinPk, Group::MinSig] {
        let signers: Vec<_> = (0..4).map(|_| Signer::new(group, &mut rng)).collect();
        let keys: Vec<&[u8]> = signers.iter().map(|signer| &signer.key[..]).collect();
        let prove = |signer: &Signer| signer.sign_in(group.possession_domain(), &[], &signer.key);
        let proofs: Vec<Vec<u8>> = signers.iter().map(prove).collect();
        let mut proofs: Vec<&[u8]> = proofs.iter().map(|proof| &proof[..]).collect();
        assert_eq!(verify_possessions(group, &keys, &proofs), vec![Ok(()); 4]);
        proofs.swap(1, 2);
        let mismatch = Err(Rejection::Mismatch);
        let expected = [Ok(()), mismatch.clone(), mismatch, Ok(())];
        assert_eq!(verify_possessions(group, &keys, &proofs), expected);
    }
}

#[test]
fn bad_ones_are_named_in_large_batches() {
    let mut rng = generator();
    let suite = Suite { group: Group::MinSig, scheme: Scheme::Augmented };
    let signers: Vec<_> = (0..7).map(|_| Signer::new(suite.group, &mut rng)).collect();
    let rows: Vec<Row> = (0..130)
        .map(|row: usize| {
            let (signer, message) = (&signers[row % 7], [row as u8; 9]);
            (signer.key.clone(), message.to_vec(), signer.sign(suite, &message))
        })
        .collect();
    for bad in [0, 1, 2, 64, 130] {
        let mut rows = rows.clone();
        let mut places: Vec<usize> = (0..130).collect();
        for place in 0..130 {
            places.swap(place, rng.gen_range(place..130));
        }
        for &place in &places[..bad] {
            rows[place].1.push(7);
        }
        let verdicts = verify_batch(suite, &borrowed(&rows));
        for (row, verdict) in verdicts.iter().enumerate() {
            assert_eq!(verdict.is_err(), places[..bad].contains(&row), "{bad} {row}");
        }
    }
}

#[test]
fn the_operation_answers_mixed_suites() {
    let mut rng = generator();
    let mut requests = Vec::new();
    for number in 0..18 {
        let suite = Suite::ALL[number % 6];
        let (signer, message) = (Signer::new(suite.group, &mut rng), random_bytes::<5>(&mut rng));
        let mut signature = signer.sign(suite, &message);
        if number % 4 == 3 {
            signature[40] ^= 4;
        }
        let (key, message) = (signer.key.clone(), message.to_vec());
        requests.push(SignatureRequest { suite, key, message, signature });
    }
    let replies = VerifySignature::compute_batch(VerifySignature::batch(&requests));
    for (number, (request, reply)) in requests.iter().zip(&replies).enumerate() {
        assert_eq!(*reply, VerifySignature::compute(VerifySignature::row(request)));
        assert_eq!(reply.is_ok(), number % 4 != 3);
        assert_eq!(VerifySignature::keep(VerifySignature::row(request)), *request);
        let alone = VerifySignature::compute_batch(std::slice::from_ref(request));
        assert_eq!(alone, std::slice::from_ref(reply));
    }
}

#[test]
fn random_signatures_are_verified_as_by_the_library() {
    let mut rng = generator();
    for _ in 0..cases(40, 10_000) {
        let suite = Suite::ALL[rng.gen_range(0..6)];
        let (signer, mut message) =
            (Signer::new(suite.group, &mut rng), vec![0; rng.gen_range(0..200)]);
        rng.fill_bytes(&mut message);
        let (mut key, mut signature) = (signer.key.clone(), signer.sign(suite, &message));
        let place = rng.gen_range(0..48);
        match rng.gen_range(0..6) {
            0 => key[place] ^= 1 << rng.gen_range(0..8),
            1 => signature[place] ^= 1 << rng.gen_range(0..8),
            2 => message.push(0),
            _ => {}
        }
        let prefix = if suite.scheme == Scheme::Augmented { &key[..] } else { &[] };
        let success = blst::BLST_ERROR::BLST_SUCCESS;
        let expected = match suite.group {
            Group::MinPk => {
                blst::min_pk::Signature::from_bytes(&signature).is_ok_and(|signature| {
                    blst::min_pk::PublicKey::from_bytes(&key).is_ok_and(|key| {
                        signature.verify(true, &message, suite.domain(), prefix, &key, true)
                            == success
                    })
                })
            }
            Group::MinSig => {
                blst::min_sig::Signature::from_bytes(&signature).is_ok_and(|signature| {
                    blst::min_sig::PublicKey::from_bytes(&key).is_ok_and(|key| {
                        signature.verify(true, &message, suite.domain(), prefix, &key, true)
                            == success
                    })
                })
            }
        };
        let signed = Signed { key: &key, message: &message, signature: &signature };
        assert_eq!(verify(suite, signed).is_ok(), expected, "{suite:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_answered(
        key in prop::collection::vec(any::<u8>(), 0..100),
        message in prop::collection::vec(any::<u8>(), 0..50),
        signature in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        for suite in Suite::ALL {
            let row = Signed { key: &key, message: &message, signature: &signature };
            prop_assert!(verify_batch(suite, &[row, row]).iter().all(Result::is_err));
        }
    }
}
