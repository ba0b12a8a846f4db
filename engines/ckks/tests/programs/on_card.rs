// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs on a card that the instruction simulator replaces: its memory keeps objects, evicts
//! them, and receives them again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use halimede_ckks::executor::{
    CardPlace, CardTraffic, CiphertextHandle, ExecutorError, ProgramPlace, ProgramServer,
};
use halimede_ckks::{Ciphertext, Parameters, Server};

use crate::setting::Setting;
use crate::test_card::{hash, remote, TestCard};

/// log₂ of the size of a memory with room for everything here.
const LARGE: u32 = 23;

fn setting() -> (Arc<Server>, [Ciphertext; 2]) {
    let mut setting = Setting::new("n10-insecure", &[1, 2, 4, 8, 16, 32]);
    let ciphertext = [(); 2].map(|()| setting.pair(512, 4).ciphertext);
    (Arc::new(setting.server), ciphertext)
}

fn traffic(place: &CardPlace<TestCard>) -> CardTraffic {
    place.traffic().unwrap()
}

/// Returns the number of bytes that work writes.
fn written(place: &CardPlace<TestCard>, work: impl FnOnce()) -> u64 {
    let before = traffic(place).written_bytes;
    work();
    traffic(place).written_bytes - before
}

fn rotated(
    remote: &ProgramServer,
    a: &CiphertextHandle,
    steps: i64,
) -> Result<Ciphertext, ExecutorError> {
    remote.download(&remote.rotate(a, steps)?)
}

#[test]
fn keys_programs_and_ciphertexts_are_sent_once() {
    let (server, [x, y]) = setting();
    let place = TestCard::new(LARGE).place();
    let remote = remote(&server, &place);
    let [a, b] = [&x, &y].map(|x| remote.upload(x).unwrap());
    let expected = hash(&server.rotate(&x, 1).unwrap());
    let first = written(&place, || assert_eq!(hash(&rotated(&remote, &a, 1).unwrap()), expected));
    let again = written(&place, || assert_eq!(hash(&rotated(&remote, &a, 1).unwrap()), expected));
    // Another ciphertext, by the same key and program.
    let expected = hash(&server.rotate(&y, 1).unwrap());
    let other = written(&place, || assert_eq!(hash(&rotated(&remote, &b, 1).unwrap()), expected));
    let bytes = |a: &Ciphertext| {
        a.parts()
            .iter()
            .flat_map(|part| part.limbs())
            .map(|limb| 4 * limb.len() as u64)
            .sum::<u64>()
    };
    // The job's header and the table of its regions.
    assert!(again < 1024, "{again}");
    assert_eq!(other, again + bytes(&y));
    let key = server.keys().iter().map(|(_, key)| key.bytes() as u64).max().unwrap();
    assert!(first > key / 2 + bytes(&x) + again, "{first} {key}");
    // Only the seed of a key's second half is sent: a second rotation needs its key and
    // program.
    let second = written(&place, || drop(rotated(&remote, &a, 2).unwrap()));
    assert!((key / 2..key / 4 * 3).contains(&second), "{second} {key}");
    // A result stays on the card: a later operation sends its program and key, and no ciphertext.
    let rotated = remote.rotate(&a, 1).unwrap();
    let sum = written(&place, || drop(remote.add(&rotated, &a).unwrap()));
    assert!(sum < bytes(&x), "{sum}");
    let CardTraffic { jobs, read_bytes, clocks, .. } = traffic(&place);
    assert_eq!((jobs, read_bytes, clocks), (6, 6 * bytes(&x), 0));
    // Executors of one card share its contents.
    let second = crate::test_card::remote(&server, &place);
    let c = second.upload(&x).unwrap();
    let shared = written(&place, || drop(second.rotate(&c, 1).unwrap()));
    assert!(shared < first / 2, "{shared}");
}

/// A memory with room for some of six keys besides everything else: results are correct, and the
/// keys alternate.
#[test]
fn what_was_used_longest_ago_makes_room() {
    let (server, [x, _]) = setting();
    let key = server.keys().iter().map(|(_, key)| key.bytes() as u64).max().unwrap();
    let place = TestCard::new(20).place();
    let remote = remote(&server, &place);
    let a = remote.upload(&x).unwrap();
    let expected =
        [1, 2, 4, 8, 16, 32].map(|steps| (steps, hash(&server.rotate(&x, steps).unwrap())));
    for _ in 0..2 {
        for (steps, expected) in &expected {
            let bytes = written(&place, || {
                assert_eq!(hash(&rotated(&remote, &a, *steps).unwrap()), *expected);
            });
            // A part of the key may still be present.
            assert!(bytes > key / 4, "{bytes}");
            let again = written(&place, || drop(rotated(&remote, &a, *steps).unwrap()));
            assert!(again < 1024, "{again}");
        }
    }
    // Results without users are evicted first: the key stays through many of them.
    let many = written(&place, || {
        (0..40).for_each(|_| drop(remote.rotate(&a, 32).unwrap()));
    });
    assert!(many < key / 2, "{many}");
}

#[test]
fn a_memory_that_is_too_small_and_rings_that_do_not_fit_are_named() {
    let (server, [x, _]) = setting();
    let place = TestCard::new(18).place();
    let remote = remote(&server, &place);
    let a = remote.upload(&x).unwrap();
    let error = remote.rotate(&a, 1).err().unwrap();
    assert!(matches!(error, ExecutorError::Unavailable { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("bytes of card memory at once, but the card has 262144"), "{text}");
    assert_eq!(traffic(&place).jobs, 0);
    // Operations that fit still run.
    let doubled = remote.add(&a, &a).unwrap();
    let expected = hash(&server.add(&x, &x).unwrap());
    assert_eq!(hash(&remote.download(&doubled).unwrap()), expected);
    let large = Parameters::preset("n13-insecure").unwrap();
    let error = place.executor(&large).err().unwrap().to_string();
    assert!(
        error.contains("the card supports rings up to N = 2^10; this one has N = 2^13"),
        "{error}"
    );
    assert!(place.takes(10) && !place.takes(13) && !place.takes(3));
}

#[test]
fn what_a_reset_loses_is_sent_again() {
    let (server, [x, y]) = setting();
    let card = TestCard::new(LARGE);
    let place = card.place();
    let remote = remote(&server, &place);
    let [a, b] = [&x, &y].map(|x| remote.upload(x).unwrap());
    let product = remote.mul(&a, &b).unwrap();
    let expected = server.rotate(&server.mul(&x, &y).unwrap(), 1).unwrap();
    let [first, second] = [(); 2].map(|()| {
        card.reset();
        written(&place, || {
            assert_eq!(hash(&rotated(&remote, &product, 1).unwrap()), hash(&expected));
        })
    });
    let without = written(&place, || drop(rotated(&remote, &product, 1).unwrap()));
    // This includes the product, which the card had computed.
    assert_eq!(first, second);
    assert!(without < 1024 && first > 100 * without, "{first} {without}");
}

#[test]
fn a_failure_anywhere_is_told_and_the_next_call_is_whole() {
    let (server, [x, _]) = setting();
    let expected = hash(&server.rotate(&x, 1).unwrap());
    let card = TestCard::new(LARGE);
    let place = card.place();
    let remote = remote(&server, &place);
    let a = remote.upload(&x).unwrap();
    // The write, the run, the read.
    for request in 1..=3 {
        card.fail_in(request);
        let error = rotated(&remote, &a, 1).err().unwrap();
        assert!(matches!(error, ExecutorError::Failed { .. }), "{error}");
        assert!(error.to_string().contains("card failed: the link broke"), "{error}");
        assert_eq!(hash(&rotated(&remote, &a, 1).unwrap()), expected);
    }
}

#[test]
fn ciphertexts_of_other_executors_and_rings_are_refused() {
    let (server, [x, _]) = setting();
    let place = TestCard::new(LARGE).place();
    let ours = remote(&server, &place);
    let other = halimede_ckks::executor::ProcessorPrograms::new(server.parameters());
    let other = ProgramServer::new(Arc::clone(&server), Arc::new(other));
    let error = ours.rotate(&other.upload(&x).unwrap(), 1).err().unwrap();
    assert!(matches!(error, ExecutorError::Foreign { .. }), "{error}");
    // The same card also holds ciphertexts of another ring.
    let mut boot = Setting::new("n10-boot-insecure", &[1]);
    let ciphertext = boot.pair(512, 2).ciphertext;
    let boot = remote(&Arc::new(boot.server), &place);
    let handle = boot.upload(&ciphertext).unwrap();
    assert_eq!(hash(&boot.download(&handle).unwrap()), hash(&ciphertext));
    let error = ours.download(&handle).err().unwrap();
    assert!(matches!(error, ExecutorError::Circuit(_)), "{error}");
    assert!(boot.rotate(&handle, 1).is_ok());
}
