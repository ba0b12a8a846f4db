// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares Starknet's streaming hasher with `hash_many` for any splitting of the input, and checks
//! that neither allocates.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use halimede_arith::Felt;
use halimede_poseidon::starknet::{hash_many, Hasher};
use proptest::prelude::*;

/// The system's allocator, with a count of each thread's allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged; the counter is a plain number.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn element() -> impl Strategy<Value = Felt> {
    let minus_one = Felt::ZERO - Felt::ONE;
    prop_oneof![
        Just(Felt::ZERO),
        Just(Felt::ONE),
        Just(minus_one),
        any::<[u64; 4]>().prop_map(|[l0, l1, l2, l3]| {
            Felt::from_canonical_limbs([l0, l1, l2, l3 & 0x07ff_ffff_ffff_ffff]).unwrap()
        }),
    ]
}

/// Returns distinct elements.
fn distinct(count: usize) -> Vec<Felt> {
    (0..count as u64).map(|index| Felt::from(index + 2).pow(&[97])).collect()
}

proptest! {
    #[test]
    fn any_splitting_gives_the_hash_of_the_whole(
        pieces in prop::collection::vec(prop::collection::vec(element(), 0..6), 0..8),
        one_by_one in any::<u8>(),
    ) {
        let mut hasher = Hasher::new();
        for (index, piece) in pieces.iter().enumerate() {
            if one_by_one >> index & 1 == 1 {
                hasher.extend(piece.iter().copied());
            } else {
                hasher.update_slice(piece);
            }
            let so_far = pieces[..=index].concat();
            prop_assert_eq!(hasher.finalize(), hash_many(&so_far));
        }
        prop_assert_eq!(hasher.finalize(), hash_many(&pieces.concat()));
    }

    #[test]
    fn clones_go_their_own_ways(
        start in prop::collection::vec(element(), 0..5),
        one in prop::collection::vec(element(), 0..5),
        other in prop::collection::vec(element(), 0..5),
    ) {
        let mut first = Hasher::new();
        first.update_slice(&start);
        let mut second = first.clone();
        prop_assert_eq!(&first, &second);
        first.update_slice(&one);
        second.update_slice(&other);
        prop_assert_eq!(first.finalize(), hash_many(&[&start[..], &one].concat()));
        prop_assert_eq!(second.finalize(), hash_many(&[&start[..], &other].concat()));
    }
}

#[test]
fn every_prefix_has_its_own_digest() {
    let elements = distinct(9);
    let digests: std::collections::HashSet<Felt> =
        (0..=elements.len()).map(|length| hash_many(&elements[..length])).collect();
    assert_eq!(digests.len(), elements.len() + 1);
}

#[test]
fn nothing_is_allocated() {
    let elements = distinct(1001);
    let expected = hash_many(&elements); // creates the constants
    let before = ALLOCATIONS.get();
    let whole = hash_many(&elements);
    let mut hasher = Hasher::new();
    elements.chunks(7).for_each(|piece| hasher.update_slice(piece));
    let streamed = hasher.finalize();
    assert_eq!(ALLOCATIONS.get(), before);
    assert_eq!((whole, streamed), (expected, expected));
    let counted = Box::new(streamed);
    assert_eq!(ALLOCATIONS.get(), before + 1, "the counter counts {counted}");
}
