// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages that are stored contiguously, and invalid offsets.

use crate::common::{by_the_crate, random_bytes};
use halimede_blake3::{Digest, Flat, FlatError, HashMany, Messages, Mode};

#[test]
fn flat_messages_have_the_digests_of_their_slices() {
    let data = random_bytes(10_000, 1);
    let offsets = [3u64, 3, 4, 67, 131, 1155, 2180, 9_999, 10_000];
    let flat = Flat::new(&data, &offsets).unwrap();
    assert_eq!(flat.count(), 8);
    let expected: Vec<Digest> = offsets
        .windows(2)
        .map(|pair| by_the_crate(&Mode::Hash, &data[pair[0] as usize..pair[1] as usize]))
        .collect();
    assert_eq!(HashMany::default().digests(&flat), expected);
    assert_eq!(HashMany::default().digests_parallel(&flat), expected);
}

#[test]
fn flat_data_may_be_without_messages_or_without_bytes() {
    assert!(HashMany::default().digests(&Flat::new(b"unused", &[2]).unwrap()).is_empty());
    let empty = Flat::new(b"", &[0, 0, 0]).unwrap();
    assert_eq!(HashMany::default().digests(&empty), [by_the_crate(&Mode::Hash, b""); 2]);
}

#[test]
fn offsets_that_do_not_cut_the_data_are_refused() {
    let data = random_bytes(100, 2);
    assert_eq!(Flat::new(&data, &[]).unwrap_err(), FlatError::NoOffsets);
    assert_eq!(
        Flat::new(&data, &[0, 50, 49, 100]).unwrap_err(),
        FlatError::Descending { index: 2, got: 49, before: 50 }
    );
    assert_eq!(
        Flat::new(&data, &[0, 101]).unwrap_err(),
        FlatError::TooFar { got: 101, limit: 100 }
    );
    // An offset in the middle can exceed the data only if the last one does too, or a later one
    // descends.
    assert_eq!(
        Flat::new(&data, &[0, u64::MAX, 100]).unwrap_err(),
        FlatError::Descending { index: 2, got: 100, before: u64::MAX }
    );
    assert_eq!(
        Flat::new(&data, &[u64::MAX]).unwrap_err(),
        FlatError::TooFar { got: u64::MAX, limit: 100 }
    );
}
