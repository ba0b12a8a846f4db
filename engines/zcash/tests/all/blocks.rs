// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parsing of blocks, and the positions in errors for other input.

use halimede_equihash::HeaderError;
use halimede_zcash::{Block, BlockError, Network, Part};
use proptest::prelude::*;

/// Block 346 of the main chain: see vectors/README.md.
const BLOCK_346: &str = include_str!("../../vectors/zcash_block_346.hex");
const HASH_346: &str = "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f";
/// The position of its first transaction: after 140 bytes, a length of 3, the solution and a count
/// of 1.
const TRANSACTIONS_AT: usize = 140 + 3 + 1344 + 1;

fn block_346() -> Vec<u8> {
    hex::decode(BLOCK_346.trim()).unwrap()
}

#[test]
fn block_346_is_read_raw_and_in_hexadecimal() {
    let raw = Block::parse(&block_346(), Network::Main).unwrap();
    let text = Block::parse(BLOCK_346.as_bytes(), Network::Main).unwrap();
    for block in [raw, text] {
        assert_eq!(block.hash().to_string(), HASH_346);
        assert_eq!((block.height(), block.header().version()), (Some(346), 4));
        assert_eq!(block.transactions().len(), 1);
        let first = &block.transactions()[0];
        assert!(first.is_coinbase());
        assert_eq!(first.range(), TRANSACTIONS_AT..block.bytes());
        assert_eq!(first.txid().0, block.header().merkle_root());
    }
}

#[test]
fn a_block_that_ends_early_is_refused_wherever_it_ends() {
    let bytes = block_346();
    for end in 1..bytes.len() {
        let error = Block::parse(&bytes[..end], Network::Main).unwrap_err();
        let part = match end {
            ..1487 => None,
            1487 => Some(Part::Count),
            _ => Some(Part::Transaction { index: 0, begins: TRANSACTIONS_AT }),
        };
        match part {
            Some(part) => assert_eq!(error, BlockError::Truncated { at: end, part }),
            None => assert!(
                matches!(&error, BlockError::Header(HeaderError::Truncated { at, .. }) if *at == end),
                "{end}: {error}"
            ),
        }
        let text = &BLOCK_346.as_bytes()[..2 * end];
        assert_eq!(Block::parse(text, Network::Main).unwrap_err(), error);
        let half = Block::parse(&BLOCK_346.as_bytes()[..2 * end + 1], Network::Main).unwrap_err();
        assert_eq!(half, BlockError::HexLength { digits: 2 * end + 1, at: end });
    }
    assert_eq!(Block::parse(&[], Network::Main).unwrap_err(), BlockError::Empty);
}

#[test]
fn what_follows_the_last_transaction_is_refused() {
    let mut bytes = block_346();
    let at = bytes.len();
    bytes.extend([7, 8, 9]);
    let error = Block::parse(&bytes, Network::Main).unwrap_err();
    assert_eq!(error, BlockError::Trailing { at, bytes: 3 });
    bytes.resize(2_000_001, 3);
    let error = Block::parse(&bytes, Network::Main).unwrap_err();
    assert_eq!(error, BlockError::TooLong { got: 2_000_001, limit: 2_000_000 });
}

#[test]
fn the_length_of_the_solution_must_be_the_networks() {
    let bytes = block_346();
    for bit in 0..24 {
        let mut flipped = bytes.clone();
        flipped[140 + bit / 8] ^= 1 << (bit % 8);
        let error = Block::parse(&flipped, Network::Main).unwrap_err();
        let BlockError::Header(header) = error else { panic!("bit {bit}: {error}") };
        assert!(!matches!(header, HeaderError::Trailing { .. }) && header.at() >= 140, "{header}");
    }
    let error = Block::parse(&bytes, Network::Regtest).unwrap_err();
    let message = "at byte 140: a solution of 1344 bytes, but (48, 5) needs 36";
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_transaction_that_is_none_is_named_with_its_place() {
    let mut bytes = block_346();
    bytes[TRANSACTIONS_AT + 3] = 0x80; // Overwintered, with an unknown version
    let error = Block::parse(&bytes, Network::Main).unwrap_err();
    let BlockError::Transaction { at, index: 0, begins: TRANSACTIONS_AT, reason } = error else {
        panic!("{error}");
    };
    assert_eq!((at, reason.as_str()), (TRANSACTIONS_AT + 8, "Unknown transaction format"));
}

proptest! {
    #[test]
    fn garbage_is_no_block(bytes: Vec<u8>) {
        for network in Network::ALL {
            prop_assert!(Block::parse(&bytes, network).is_err());
        }
    }

    #[test]
    fn garbage_in_place_of_transactions_never_panics(
        version in proptest::sample::select(vec![
            &b"\x01\0\0\0"[..], b"\x02\0\0\0", b"\x03\0\0\x80\x70\x82\xc4\x03",
            b"\x04\0\0\x80\x85\x20\x2f\x89", b"\x06\0\0\x80",
            b"\x05\0\0\x80\x0a\x27\xa7\x26\xb4\xd0\xd6\xc2",
        ]),
        count in 0u8..5,
        tail in proptest::collection::vec(prop_oneof![Just(0), Just(1), any::<u8>()], 0..400),
    ) {
        let mut bytes = block_346();
        bytes.truncate(TRANSACTIONS_AT - 1);
        bytes.push(count);
        bytes.extend(version);
        bytes.extend(tail);
        if let Ok(block) = Block::parse(&bytes, Network::Main) {
            prop_assert_eq!(block.transactions().len(), usize::from(count));
        }
    }

    #[test]
    fn flipped_bits_are_read_or_refused(
        flips in proptest::collection::vec(0usize..1619 * 8, 1..4),
    ) {
        let mut bytes = block_346();
        flips.iter().for_each(|bit| bytes[bit / 8] ^= 1 << (bit % 8));
        if let Ok(block) = Block::parse(&bytes, Network::Main) {
            let in_header = flips.iter().any(|bit| *bit < 8 * (TRANSACTIONS_AT - 1));
            let twice = flips.len() > 1;
            prop_assert!(twice || (block.hash().to_string() != HASH_346) == in_header);
        }
    }
}
