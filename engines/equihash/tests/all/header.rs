// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Headers: a block of the main network, every kind of damage, and random bytes.

use halimede_equihash::operations::HEADER_BYTES;
use halimede_equihash::{meets_target, BlockHash, Header, HeaderError, Network, Params};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const HASH_346: &str = "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f";
const PREVIOUS_346: usize = 4;

fn block() -> Vec<u8> {
    hex::decode(include_str!("../../vectors/zcash_block_346.hex").trim()).unwrap()
}

fn header_bytes() -> Vec<u8> {
    let mut bytes = block();
    bytes.truncate(Header::bytes(Params::ZCASH));
    bytes
}

/// A header of random fields and a random solution.
fn random_header(rng: &mut ChaCha8Rng, params: Params) -> Header {
    let fields: [u8; HEADER_BYTES] = std::array::from_fn(|_| rng.gen());
    let solution: Vec<u8> = (0..params.solution_bytes()).map(|_| rng.gen()).collect();
    Header::new(params, fields, solution).unwrap()
}

#[test]
fn block_346_is_read() {
    let block = block();
    let (header, at) = Header::read(&block, Some(Network::Main.params())).unwrap();
    assert_eq!((at, header.params()), (1_487, Params::ZCASH));
    assert_eq!(header.hash().to_string(), HASH_346);
    assert_eq!(header.to_bytes(), block[..at]);
    assert_eq!((header.version(), header.bits(), header.time()), (4, 0x1e03_c3bf, 1_477_674_303));
    assert_eq!(header.previous().as_bytes()[..], block[PREVIOUS_346..36]);
    assert_eq!(header.merkle_root()[..], block[36..68]);
    assert_eq!(header.commitment(), [0; 32]);
    assert_eq!(header.nonce()[..], block[108..140]);
    assert_eq!(header.fields()[..], block[..140]);
    assert_eq!(header.solution(), &block[143..1_487]);
    assert_eq!(Header::read(&block, None), Ok((header.clone(), at)));
    let target = Network::Main.target(header.bits()).unwrap();
    assert_eq!(header.target(), Ok(target));
    assert!(target.is_met_by(header.hash().as_bytes()) && meets_target(&block[..at]));
    let trailing = HeaderError::Trailing { at, bytes: block.len() - at };
    assert_eq!(Header::parse(&block, None), Err(trailing));
    assert_eq!(header.into_request().to_bytes(), block[..at]);
}

/// Each bit changes the hash, which then misses the target: it is met by 1 in 4.5 million hashes.
#[test]
fn a_flipped_bit_misses_the_target() {
    let valid = header_bytes();
    assert!(meets_target(&valid));
    let mut rng = ChaCha8Rng::seed_from_u64(346);
    for bit in 0..valid.len() * 8 {
        let is_of_target = (104 * 8..108 * 8).contains(&bit);
        if is_of_target || bit >= HEADER_BYTES * 8 && !rng.gen_ratio(1, 8) {
            continue;
        }
        let mut bytes = valid.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!meets_target(&bytes), "bit {bit}");
    }
}

#[test]
fn truncated_anywhere_it_says_where_and_within_what() {
    let valid = header_bytes();
    for at in 0..valid.len() {
        let part = match at {
            0..140 => "the header's 140 bytes",
            140..143 => "the solution's length",
            _ => "the solution",
        };
        for params in [None, Some(Params::ZCASH)] {
            let error = Header::parse(&valid[..at], params).unwrap_err();
            assert_eq!(error, HeaderError::Truncated { at, part });
            assert_eq!(error.at(), at);
        }
    }
}

#[test]
fn headers_of_every_parameters_come_back() {
    let mut rng = ChaCha8Rng::seed_from_u64(0x4ead);
    let usual = Params::USUAL;
    for params in usual {
        let header = random_header(&mut rng, params);
        let bytes = header.to_bytes();
        assert_eq!(bytes.len(), Header::bytes(params));
        for given in [None, Some(params)] {
            assert_eq!(Header::parse(&bytes, given).as_ref(), Ok(&header), "{params}");
        }
        for other in usual.into_iter().filter(|other| *other != params) {
            let (got, expected) = (params.solution_bytes() as u64, other.solution_bytes());
            let error = HeaderError::SolutionLength { at: 140, got, params: other, expected };
            assert_eq!(Header::parse(&bytes, Some(other)), Err(error));
        }
    }
    // Other parameters are read if they are given, with lengths of each form.
    for (n, k) in [(40, 4), (200, 7), (480, 19), (488, 7), (384, 15), (32, 3)] {
        let Ok(params) = Params::new(n, k) else { continue };
        let header = random_header(&mut rng, params);
        let bytes = header.to_bytes();
        assert_eq!(Header::parse(&bytes, Some(params)), Ok(header));
        let unknown = HeaderError::UnknownLength { at: 140, got: params.solution_bytes() as u64 };
        assert_eq!(Header::parse(&bytes, None), Err(unknown));
    }
}

/// The length prefix is checked, and must be the shortest form.
#[test]
fn the_length_of_the_solution_is_not_ignored() {
    let valid = header_bytes();
    let with = |prefix: &[u8]| [&valid[..140], prefix, &valid[143..]].concat();
    let length = |value: u64| Err(HeaderError::UnknownLength { at: 140, got: value });
    assert_eq!(with(&[0xfd, 0x40, 0x05]), valid);
    assert_eq!(Header::parse(&with(&[0xfd, 0x41, 0x05]), None), length(1_345));
    assert_eq!(Header::parse(&with(&[0xfd, 0x40, 0x04]), None), length(1_088));
    assert_eq!(Header::parse(&with(&[0x00]), None), length(0));
    assert_eq!(Header::parse(&with(&[0xff; 9]), None), length(u64::MAX));
    assert_eq!(Header::parse(&with(&[0xfe, 0x40, 0x05, 1, 0]), None), length(0x1_0540));
    let form = |value, form, needed| Err(HeaderError::LengthForm { at: 140, value, form, needed });
    assert_eq!(Header::parse(&with(&[0xfe, 0x40, 0x05, 0, 0]), None), form(1_344, 5, 3));
    let nine = with(&[0xff, 0x40, 0x05, 0, 0, 0, 0, 0, 0]);
    assert_eq!(Header::parse(&nine, Some(Params::ZCASH)), form(1_344, 9, 3));
    assert_eq!(Header::parse(&with(&[0xfd, 36, 0]), Some(Params::REGTEST)), form(36, 3, 1));
    assert_eq!(Header::parse(&with(&[0xfd, 0xfc, 0]), None), form(0xfc, 3, 1));
    assert_eq!(Header::parse(&with(&[0xfd, 0xfd, 0]), None), length(0xfd));
    assert_eq!(Header::parse(&with(&[0xfe, 0xff, 0xff, 0, 0]), None), form(0xffff, 5, 3));
}

#[test]
fn a_hash_is_printed_from_its_last_byte() {
    // The double SHA-256 of empty input, as widely published.
    let empty = "56944c5d3f98413ef45cf54545538103cc9f298e0575820ad3591376e2e0f65d";
    assert_eq!(BlockHash::of(b"").to_string(), empty);
}

proptest! {
    #[test]
    fn garbage_is_read_or_refused_within_its_bytes(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        prefix in prop_oneof![Just(vec![36]), Just(vec![68]), Just(vec![100]),
            proptest::collection::vec(any::<u8>(), 0..9)],
        cut in 0..160usize,
    ) {
        let mut bytes = bytes;
        let at = bytes.len().min(140);
        bytes.splice(at..at, prefix);
        match Header::read(&bytes, None) {
            Ok((header, used)) => prop_assert_eq!(&header.to_bytes()[..], &bytes[..used]),
            Err(error) => prop_assert!(error.at() <= bytes.len(), "{}", error),
        }
        let _ = meets_target(&bytes[..cut.min(bytes.len())]);
    }
}
