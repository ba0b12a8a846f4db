// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory of loading: proportional to the input, not to its claims. A separate program, since
//! all allocations are counted.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use halimede_ckks::files::{FileReader, KeyReader};
use halimede_ckks::keys::{PublicKey, SecretKey};
use halimede_ckks::{Ciphertext, Client, Complex, EvaluationKeys, Operations, Parameters};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The system's allocator, which counts allocated bytes.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Ordering::SeqCst) + bytes;
    PEAK.fetch_max(live, Ordering::SeqCst);
}

// SAFETY: everything is the system's allocator's; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::SeqCst);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(place, layout) }
    }
}

/// Returns the largest amount allocated at once while `work` ran.
fn peak_of(work: impl FnOnce()) -> usize {
    let before = LIVE.load(Ordering::SeqCst);
    PEAK.store(before, Ordering::SeqCst);
    work();
    PEAK.load(Ordering::SeqCst) - before
}

/// For bookkeeping, and one limb of N = 2¹³.
const CONSTANT_BYTES: usize = 120_000;

#[test]
fn loading_takes_what_the_input_fills() {
    let parameters = Parameters::preset("n13-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 41);
    let mut rng = ChaCha8Rng::seed_from_u64(42);
    let values: Vec<Complex> = (0..4096).map(|_| rng.gen_range(-1.0..1.0).into()).collect();
    let mut files: [Vec<u8>; 4] = Default::default();
    client.secret().save(&mut files[0]).unwrap();
    client.public_key().save(&mut files[1]).unwrap();
    let operations = Operations {
        multiply: true,
        conjugate: true,
        rotations: vec![1, 2],
        ..Operations::default()
    };
    client.evaluation_keys(&operations).save(&mut files[2]).unwrap();
    client.encrypt(&values).unwrap().save(&mut files[3], &parameters).unwrap();
    let load = |index: usize, bytes: &[u8]| match index {
        0 => SecretKey::load(bytes, &parameters).is_ok(),
        1 => PublicKey::load(bytes, &parameters).is_ok(),
        2 => EvaluationKeys::load(bytes, &parameters).is_ok(),
        _ => Ciphertext::load(bytes, &parameters).is_ok(),
    };
    // Threads, tables and kinds of work are initialized.
    assert!((0..4).all(|index| load(index, &files[index])));
    for round in 0..200 {
        let index = round % 4;
        let mut bytes = files[index].clone();
        bytes.truncate(rng.gen_range(1..=bytes.len()));
        for _ in 0..rng.gen_range(0..3) {
            let at = rng.gen_range(0..bytes.len().min(100));
            bytes[at] = rng.next_u32() as u8;
        }
        parameters.ring().release_memory();
        let peak = peak_of(|| {
            load(index, &bytes);
        });
        // A byte with 30-bit residues becomes 32-bit words, twice if a seed expands to the same
        // amount; the secret's two bits become a byte, and words for each prime.
        let factor = if index == 0 { 4 * (1 + 4 * parameters.chain().primes.len()) } else { 4 };
        let most = factor * bytes.len() + CONSTANT_BYTES;
        assert!(peak <= most, "file {index}: {peak} bytes for {} of input", bytes.len());
    }
    // Key by key, the memory is one key and its input.
    parameters.ring().release_memory();
    let peak = peak_of(|| {
        let reader = FileReader::new(&files[2][..]).unwrap();
        let keys: KeyReader<_> = reader.keys(&parameters).unwrap();
        assert_eq!(keys.map(|key| drop(key.unwrap())).count(), 4);
    });
    let most = parameters.switching_key_bytes() * 3 / 2 + CONSTANT_BYTES;
    assert!(peak <= most, "{peak} bytes for keys of {}", parameters.switching_key_bytes());
}
