// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures as bytes: strict DER, lax DER and compact; errors and their offsets.

use crate::common::{bytes, number, random, random_bytes, random_scalar, Curve};
use halimede_arith::job::{Compute, Operation};
use halimede_secp256k1::constants::{GROUP_ORDER, HIGHEST_LOW_S};
use halimede_secp256k1::operations::{Signatures, Verify, VerifyBatch};
use halimede_secp256k1::secp256k1::ecdsa::Signature;
use halimede_secp256k1::{
    Check, DerError, Format, Number, Numbers, Rejection, Rules, SignatureError, Verifier,
};
use num_bigint::BigUint;
use proptest::prelude::*;
use rand::Rng;

/// Returns the DER of two numbers given by their bytes, valid or not.
fn der(r: &[u8], s: &[u8]) -> Vec<u8> {
    let integer = |bytes: &[u8]| [&[2, bytes.len() as u8][..], bytes].concat();
    let body = [integer(r), integer(s)].concat();
    [&[0x30, body.len() as u8][..], &body].concat()
}

/// Returns the shortest positive encoding of a number.
fn minimal(number: &BigUint) -> Vec<u8> {
    let bytes = number.to_bytes_be();
    if bytes[0] & 0x80 == 0 {
        bytes
    } else {
        [&[0][..], &bytes].concat()
    }
}

fn strict(der: &[u8]) -> Result<Numbers, DerError> {
    Format::Der.parse(der).map_err(|error| match error {
        SignatureError::Der(error) => error,
        other => panic!("{other}"),
    })
}

#[test]
fn numbers_of_any_length_go_through_der() {
    let mut random = random(30);
    let top = BigUint::from_bytes_be(&[0xff; 32]);
    for bits in (0..=256).chain([1, 7, 8, 9, 255]) {
        let r = number(&random_bytes(&mut random)) >> (256 - bits);
        let s = number(&random_bytes(&mut random)) >> random.gen_range(0..256);
        let expected = Numbers { r: bytes(&r), s: bytes(&s) };
        let der = der(&minimal(&r), &minimal(&s));
        assert_eq!(strict(&der), Ok(expected), "{der:02x?}");
        let compact = [expected.r, expected.s].concat();
        assert_eq!(Format::Compact.parse(&compact), Ok(expected));
        let n = number(&GROUP_ORDER);
        let lax = Format::DerLax.parse(&der).unwrap();
        let zeros = Numbers { r: [0; 32], s: [0; 32] };
        assert_eq!(lax, if r < n && s < n { expected } else { zeros });
    }
    // Numbers of more than 256 bits are out of range, whatever their low bits are.
    let beyond = [&[1][..], &bytes(&5u8.into())].concat();
    assert_eq!(strict(&der(&beyond, &[7])).map(|numbers| numbers.r), Ok(bytes(&top)));
}

#[test]
fn broken_der_is_told_what_and_where() {
    use DerError::*;
    let mut random = random(31);
    let (mut r, mut s): ([u8; 32], [u8; 32]) = (random.gen(), random.gen());
    (r[0], s[0]) = (0x41, 0x2a);
    let good = der(&r, &s);
    assert!(strict(&good).is_ok());
    let with = |at: usize, byte: u8| {
        let mut changed = good.clone();
        changed[at] = byte;
        changed
    };
    let number = Number::R;
    let cases: Vec<(Vec<u8>, DerError)> = vec![
        (vec![], Length { got: 0 }),
        (good[..7].to_vec(), Length { got: 7 }),
        (der(&[0x11; 33], &[0x22; 34]), Length { got: 73 }),
        (with(0, 0x31), NoSequence { got: 0x31 }),
        (with(1, 67), SequenceLength { got: 67, expected: 68 }),
        (with(1, 0x81), SequenceLength { got: 0x81, expected: 68 }),
        (with(1, 0x80), SequenceLength { got: 0x80, expected: 68 }),
        (good[..69].to_vec(), SequenceLength { got: 68, expected: 67 }),
        ([&good[..], &[0]].concat(), SequenceLength { got: 68, expected: 69 }),
        (with(2, 3), NoInteger { number, at: 2 }),
        (with(36, 0x30), NoInteger { number: Number::S, at: 36 }),
        (with(3, 33), NoInteger { number: Number::S, at: 37 }),
        (with(3, 200), PastEnd { number, at: 2 }),
        (with(3, 0x81), PastEnd { number, at: 2 }),
        (with(37, 33), PastEnd { number: Number::S, at: 36 }),
        (with(3, 66), PastEnd { number: Number::S, at: 70 }),
        (with(37, 31), Trailing { at: 69 }),
        (der(&[], &s), Empty { number, at: 2 }),
        (der(&r, &[]), Empty { number: Number::S, at: 36 }),
        (with(4, 0x80), Negative { number, at: 2 }),
        (with(38, 0xff), Negative { number: Number::S, at: 36 }),
        (der(&[&[0][..], &r].concat(), &s), Padded { number, at: 2 }),
        (der(&r, &[0, 0]), Padded { number: Number::S, at: 36 }),
        (der(&[0, 0x7f], &s), Padded { number, at: 2 }),
    ];
    for (bytes, expected) in cases {
        assert_eq!(strict(&bytes), Err(expected), "{bytes:02x?}");
        assert!(expected.to_string().contains("DER signature"), "{expected}");
    }
    assert_eq!(
        Padded { number: Number::S, at: 36 }.to_string(),
        "s of the DER signature, at byte 36, has a needless zero byte"
    );
}

/// Encodings that BIP 66 forbids are accepted by the lax rules, with the same meaning.
#[test]
fn lax_rules_read_what_strict_ones_do_not() {
    let mut random = random(32);
    let curve = Curve::new();
    let secret = random_scalar(&mut random);
    let point = curve.multiply(&secret, &curve.g);
    let valid = curve.forge(&random_scalar(&mut random), &random_scalar(&mut random), &point);
    let (r, s) = (minimal(&number(&valid.r)), minimal(&number(&valid.s)));
    let key = [&[4][..], &valid.x, &valid.y].concat();
    let verdict = |format, signature: &[u8]| {
        let verifier = Verifier::with_cache(Rules { format, low_s: false }, None);
        verifier.verify(&key, &valid.digest, signature)
    };
    let good = der(&r, &s);
    assert_eq!(verdict(Format::Der, &good), Ok(()));
    let stripped = |bytes: &[u8]| bytes.iter().copied().skip_while(|b| *b == 0).collect::<Vec<_>>();
    let long = |bytes: &[u8]| [&[2, 0x82, 0, bytes.len() as u8][..], bytes].concat();
    let sequence = |body: &[u8]| [&[0x30, 0x82, 0, body.len() as u8][..], body].concat();
    let mut wrong_length = good.clone();
    wrong_length[1] ^= 5;
    let variants = [
        der(&[&[0, 0][..], &r].concat(), &s),
        der(&r, &[&[0][..], &s].concat()),
        sequence(&good[2..]),
        sequence(&[long(&r), long(&s)].concat()),
        [&good[..], b"rubbish"].concat(),
        wrong_length,
    ];
    for variant in variants {
        assert_eq!(verdict(Format::DerLax, &variant), Ok(()), "{variant:02x?}");
        let strict = verdict(Format::Der, &variant);
        assert!(matches!(strict, Err(Rejection::Signature(SignatureError::Der(_)))), "{strict:?}");
    }
    // Numbers that look negative are accepted unchanged.
    let mut high = valid.clone();
    while high.s[0] & 0x80 == 0 {
        high = curve.forge(&random_scalar(&mut random), &random_scalar(&mut random), &point);
    }
    let negative = der(&stripped(&minimal(&number(&high.r))), &high.s);
    let parsed = Format::DerLax.parse(&negative).unwrap();
    assert_eq!(parsed, Numbers { r: high.r, s: high.s });
    for broken in [&[][..], &[0x30], &good[..5], &good[..40], &[0x31; 70]] {
        let lax = verdict(Format::DerLax, broken);
        assert_eq!(lax, Err(Rejection::Signature(SignatureError::DerLax)), "{broken:02x?}");
    }
    // If one number does not fit, both become 0.
    let overflow = der(&[&[1][..], &valid.r].concat(), &s);
    let Err(Rejection::Check(mask)) = verdict(Format::DerLax, &overflow) else {
        panic!("expected an error of range")
    };
    assert!(mask.has(Check::RRange) && mask.has(Check::SRange));
}

#[test]
fn compact_signatures_have_one_length() {
    let mut random = random(33);
    let long: Vec<u8> = (0..100).map(|_| random.gen()).collect();
    for got in (0..100).filter(|length| *length != 64) {
        let parsed = Format::Compact.parse(&long[..got]);
        assert_eq!(parsed, Err(SignatureError::CompactLength { got }));
    }
}

#[test]
fn low_s_is_asked_for_where_rules_say_so() {
    let mut random = random(34);
    let curve = Curve::new();
    for s in [HIGHEST_LOW_S, bytes(&(number(&HIGHEST_LOW_S) + 1u8)), bytes(&1u8.into())] {
        let s = number(&s);
        let (_, point) = crate::common::cases::first_point(&curve, &random_scalar(&mut random));
        let r = point.as_ref().unwrap().0.clone() % &curve.n;
        let e = random_scalar(&mut random);
        let (x, y) = curve.key_for(&r, &s, &e, &point).unwrap();
        let key = [&[4][..], &bytes(&x), &bytes(&y)].concat();
        let digest = bytes(&e);
        for s in [s.clone(), &curve.n - &s] {
            let signature = der(&minimal(&r), &minimal(&s));
            let verify = |low_s| {
                let verifier = Verifier::new(Rules { format: Format::Der, low_s });
                verifier.verify(&key, &digest, &signature)
            };
            assert_eq!(verify(false), Ok(()));
            let is_high = s > number(&HIGHEST_LOW_S);
            assert_eq!(verify(true), if is_high { Err(Rejection::HighS) } else { Ok(()) });
        }
    }
    // The error of range takes precedence over a high s.
    let n = [[1; 32], GROUP_ORDER].concat();
    let key = [&[4][..], &[1; 64]].concat();
    let rules = Rules { format: Format::Compact, low_s: true };
    assert!(matches!(Verifier::new(rules).verify(&key, &[], &n), Err(Rejection::Key(_))));
    assert!(!Format::Compact.parse(&n).unwrap().has_high_s());
}

proptest! {
    /// Mutated DER: our parser accepts it exactly if libsecp256k1 finds numbers in range, and
    /// accepts some more that are out of range.
    #[test]
    fn strict_der_is_what_the_library_reads(
        r in any::<[u8; 32]>(),
        s in any::<[u8; 32]>(),
        cuts in (0..32usize, 0..32usize),
        changes in prop::collection::vec((0..72usize, any::<u8>()), 0..3),
        length in prop_oneof![Just(None), (0..80usize).prop_map(Some)],
    ) {
        let [r, s] = [(r, cuts.0), (s, cuts.1)].map(|(n, cut)| minimal(&(number(&n) >> (8 * cut))));
        let mut der = der(&r, &s);
        for (at, byte) in changes {
            if let Some(place) = der.get_mut(at) {
                *place = byte;
            }
        }
        der.resize(length.unwrap_or(der.len()), 0);
        let ours = strict(&der);
        let library = Signature::from_der(&der).ok().map(|signature| signature.serialize_compact());
        let in_range = library.filter(|c| c[..32] != [0; 32] && c[32..] != [0; 32]);
        if let Some(compact) = in_range {
            let numbers = ours.map(|numbers| [numbers.r, numbers.s].concat());
            prop_assert_eq!(numbers, Ok(compact.to_vec()));
        } else if let Ok(numbers) = ours {
            let zero_or_high = |n: [u8; 32]| n == [0; 32] || n >= GROUP_ORDER;
            prop_assert!(zero_or_high(numbers.r) || zero_or_high(numbers.s));
            prop_assert!(library.is_some());
        }
        // Lax rules accept everything that strict rules accept.
        prop_assert!(ours.is_err() || Format::DerLax.parse(&der).is_ok());
    }

    /// Any bytes get an answer, and the same answer in every way.
    #[test]
    fn any_row_is_answered(
        key in prop::collection::vec(any::<u8>(), 0..70),
        digest in prop::collection::vec(any::<u8>(), 0..70),
        signature in prop::collection::vec(any::<u8>(), 0..200),
        low_s in any::<bool>(),
    ) {
        for format in [Format::Der, Format::DerLax, Format::Compact] {
            let verifier = Verifier::new(Rules { format, low_s });
            let verdict = verifier.verify(&key, &digest, &signature);
            let (keys, digests, signatures) =
                ([&key[..]; 2], [&digest[..]; 2], [&signature[..]; 2]);
            let batch = Signatures::new(&verifier, &keys[..], &digests[..], &signatures[..]);
            let batch = VerifyBatch::Signatures(batch);
            prop_assert_eq!(Verify::compute_batch(batch), vec![verdict; 2]);
            let kept = Verify::keep_all(batch);
            prop_assert_eq!(Verify::compute_batch(Verify::batch(&kept)), vec![verdict; 2]);
            prop_assert!(kept[1].is_err() == matches!(
                verdict,
                Err(Rejection::Key(_) | Rejection::Signature(_) | Rejection::HighS)
            ));
        }
    }
}
