// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of the operations: points, hashes, products of two pairings.

use halimede_bls12_381::{Curve, CurvePoint, Point, PointError};

use super::reply::not_valid;
use super::variants::Variant;
use crate::error::CudaError;
use crate::groups::{join, numbered, starts};
use crate::memory::Argument;
use crate::workspace::Workspace;

/// Words of an element of Fp.
pub(super) const ELEMENT_WORDS: usize = 12;
/// p in words of 64 bits, lowest first.
const MODULUS: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];
/// Words of the last two blocks of a hash of `expand_message_xmd`.
const TAIL_WORDS: usize = 32;
/// The most bytes of a domain, for which the tails have two blocks.
const DOMAIN_BYTES: usize = 85;

/// Lists of `bls12_381_check_pairs` with one point for all items.
const SECOND_P: u32 = 4;
const SECOND_Q: u32 = 8;

/// The names of the tables of −g, where g is the generator of G1 or of G2.
const MINUS_GENERATORS: [u64; 2] = [0, 8];

/// The status of a finite point of its group.
pub(super) const FINITE: u32 = 0;

/// The verdict of the kernels on an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Finite,
    Infinity,
    BadEncoding,
    NotOnCurve,
    WrongSubgroup,
}

/// The number of items as an argument.
pub(super) fn count_of(items: usize) -> Argument {
    u32::try_from(items).unwrap_or(u32::MAX).into()
}

/// Decodes points, and returns where they are. `number` chooses the memory: this and the next
/// input, this scratch, and this output, which has the statuses.
pub(super) fn read_points<C: Curve>(
    workspace: &mut Workspace,
    number: usize,
    encodings: &[&[u8]],
) -> Result<Argument, CudaError> {
    let bytes = C::UNCOMPRESSED_BYTES;
    let places = workspace.input(number, bytes * encodings.len(), |memory: &mut [u8]| {
        for (place, encoding) in memory.chunks_exact_mut(bytes).zip(encodings) {
            // Encodings of other lengths are not read.
            let (used, rest) = place.split_at_mut(encoding.len().min(bytes));
            used.copy_from_slice(&encoding[..used.len()]);
            rest.fill(0);
        }
    })?;
    let forms = workspace.input(number + 1, encodings.len(), |memory: &mut [u32]| {
        for (place, encoding) in memory.iter_mut().zip(encodings) {
            *place = match encoding.len() {
                length if length == C::COMPRESSED_BYTES => 0,
                length if length == bytes => 1,
                _ => 2,
            };
        }
    })?;
    let points = workspace.scratch::<u8>(number, bytes * encodings.len())?;
    let statuses = workspace.output::<u32>(number, encodings.len())?;
    let kernel = match C::DEGREE {
        1 => "bls12_381_read_g1",
        _ => "bls12_381_read_g2",
    };
    let arguments = [places, forms, points, statuses, count_of(encodings.len())];
    workspace.launch(kernel, encodings.len() as u64, &arguments)?;
    workspace.fetch::<u32>(number, encodings.len())?;
    Ok(points)
}

/// Returns the reason why each of some encodings is invalid, in order; `number` is that of
/// [`read_points`].
///
/// # Errors
/// [`CudaError`], also if the kernels reject an encoding that the host accepts.
pub(super) fn checked<C: Curve>(
    workspace: &Workspace,
    number: usize,
    encodings: &[&[u8]],
    allows_infinity: bool,
) -> Result<Vec<Option<PointError>>, CudaError> {
    let read = |encoding: &[u8]| CurvePoint::<C>::from_bytes(encoding).err();
    checked_by(workspace, number, encodings, (allows_infinity, read))
}

/// The same; `read` returns the error of an encoding on the host.
pub(super) fn checked_by(
    workspace: &Workspace,
    number: usize,
    encodings: &[&[u8]],
    (allows_infinity, read): (bool, impl Fn(&[u8]) -> Option<PointError>),
) -> Result<Vec<Option<PointError>>, CudaError> {
    let statuses = workspace.fetched::<u32>(number)?;
    let check = |(encoding, status): (&&[u8], &u32)| {
        Ok(match status_of(*status)? {
            Status::Finite => None,
            Status::Infinity if allows_infinity => None,
            Status::Infinity => Some(PointError::Infinity),
            Status::NotOnCurve => Some(PointError::NotOnCurve),
            Status::WrongSubgroup => Some(PointError::WrongSubgroup),
            Status::BadEncoding => match read(encoding) {
                Some(error) => Some(error),
                None => return Err(not_valid("rejects a correct encoding".to_owned())),
            },
        })
    };
    encodings.iter().zip(statuses).map(check).collect()
}

fn status_of(status: u32) -> Result<Status, CudaError> {
    Ok(match status {
        FINITE => Status::Finite,
        1 => Status::Infinity,
        2 => Status::BadEncoding,
        3 => Status::NotOnCurve,
        4 => Status::WrongSubgroup,
        other => return Err(not_valid(format!("the status {other}"))),
    })
}

/// Returns a verdict of the kernels.
///
/// # Errors
/// [`CudaError::Reply`].
pub(super) fn verdict_of(verdict: u32) -> Result<bool, CudaError> {
    match verdict {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(not_valid(format!("the verdict {other}"))),
    }
}

/// Checks e(key, hash)·e(−g, signature) = 1 for keys, hashes and signatures of each row. The
/// verdicts are fetched as an output.
pub(super) fn check_pairs<V: Variant>(
    workspace: &mut Workspace,
    output: usize,
    [keys, hashes, signatures]: [Argument; 3],
    count: usize,
) -> Result<(), CudaError> {
    let generator = minus_generator::<V::Key>(workspace)?;
    let verdicts = workspace.output::<u32>(output, count)?;
    let [first_p, first_q] = V::ordered(keys, hashes);
    let [second_p, second_q] = V::ordered(generator, signatures);
    let [shared, _] = V::ordered(SECOND_P, SECOND_Q);
    let shared = Argument::from(shared);
    let arguments = [first_p, first_q, second_p, second_q, shared, verdicts, count_of(count)];
    workspace.launch("bls12_381_check_pairs", count as u64, &arguments)?;
    workspace.fetch::<u32>(output, count)
}

/// A message to hash.
pub(super) struct Content<'c> {
    /// Bytes before the message.
    pub(super) prefix: Vec<u8>,
    /// The message.
    pub(super) message: &'c [u8],
    /// The index of its domain.
    pub(super) domain: usize,
}

/// A signed message.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Signed<'r> {
    /// The key, if its compressed form is before the message.
    pub(super) key: Option<&'r [u8]>,
    /// The message.
    pub(super) message: &'r [u8],
    /// The index of its domain.
    pub(super) domain: usize,
}

/// Returns the different contents, and their numbers in the order of the signed messages.
pub(super) fn distinct_contents<'r, V: Variant>(
    signed: impl Iterator<Item = Signed<'r>>,
) -> (Vec<Content<'r>>, Vec<u32>) {
    let (distinct, number_of) = numbered(signed);
    let content = |Signed { key, message, domain }: Signed<'r>| {
        let prefix = key.map(compressed::<V::Key>).unwrap_or_default();
        Content { prefix, message, domain }
    };
    (distinct.into_iter().map(content).collect(), number_of)
}

/// Hashes messages to a group, each with one of `domains`. Uses three inputs and a scratch from
/// `number` on; `table` is the name of the table of tails.
pub(super) fn hash_points<C: Curve>(
    workspace: &mut Workspace,
    number: usize,
    contents: &[Content<'_>],
    (table, domains): (u64, &[&[u8]]),
) -> Result<Argument, CudaError> {
    let ends: Vec<Vec<u8>> = domains.iter().map(|domain| end_of::<C>(domain)).collect();
    let parts = contents
        .iter()
        .flat_map(|content| [&content.prefix[..], content.message, &ends[content.domain][..]]);
    let length = |content: &Content<'_>| {
        content.prefix.len() + content.message.len() + ends[content.domain].len()
    };
    let bytes = contents.iter().map(length).sum::<usize>();
    let data = workspace.input(number, bytes.next_multiple_of(size_of::<u32>()), |memory| {
        join(memory, parts);
    })?;
    let offsets = starts(contents.iter().map(length));
    let offsets = workspace.input(number + 1, offsets.len(), |memory: &mut [u64]| {
        memory.copy_from_slice(&offsets);
    })?;
    let numbers = workspace.input(number + 2, contents.len(), |memory: &mut [u32]| {
        for (place, content) in memory.iter_mut().zip(contents) {
            *place = u32::try_from(content.domain).unwrap_or(u32::MAX);
        }
    })?;
    let tails =
        workspace.table(table, || domains.iter().flat_map(|domain| tail_of(domain)).collect())?;
    let points = workspace.scratch::<u8>(number, C::UNCOMPRESSED_BYTES * contents.len())?;
    let arguments = [data, offsets, tails, numbers, points, count_of(contents.len())];
    let kernel = match C::DEGREE {
        1 => "bls12_381_hash_to_g1",
        _ => "bls12_381_hash_to_g2",
    };
    workspace.launch(kernel, contents.len() as u64, &arguments)?;
    Ok(points)
}

/// The bytes after a message: the number of expanded bytes, 128 for each coefficient, a zero, and
/// the domain with its length (RFC 9380, section 5.3.1).
fn end_of<C: Curve>(domain: &[u8]) -> Vec<u8> {
    let expanded = (128 * C::DEGREE as u16).to_be_bytes();
    let length = u8::try_from(domain.len()).unwrap_or(u8::MAX);
    [&expanded[..], &[0], domain, &[length]].concat()
}

/// The last two blocks of the hashes b_i, without what differs: b_0, b_(i−1) and i.
fn tail_of(domain: &[u8]) -> [u32; TAIL_WORDS] {
    debug_assert!(domain.len() <= DOMAIN_BYTES, "a domain of {} bytes", domain.len());
    let mut bytes = [0; 4 * TAIL_WORDS];
    let end = 33 + domain.len();
    bytes[33..end].copy_from_slice(domain);
    bytes[end] = domain.len() as u8;
    bytes[end + 1] = 0x80;
    let bits = 8 * (end as u64 + 1);
    bytes[4 * TAIL_WORDS - 8..].copy_from_slice(&bits.to_be_bytes());
    std::array::from_fn(|word| {
        bytes[4 * word..4 * word + 4].iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
    })
}

/// Returns the address of −g, where g is the generator of a group.
pub(super) fn minus_generator<C: Curve>(workspace: &Workspace) -> Result<Argument, CudaError> {
    workspace.table(MINUS_GENERATORS[C::DEGREE - 1], || {
        let point = Point::<C>::generator().negated().to_uncompressed();
        words_of::<C>(&point)
    })
}

/// Returns a finite point, which is encoded uncompressed, as the kernels have it: the constant term
/// of a coordinate is first.
pub(super) fn words_of<C: Curve>(point: &[u8]) -> Vec<u32> {
    let coordinates = point.chunks_exact(C::COMPRESSED_BYTES);
    coordinates.flat_map(|coordinate| coordinate.rchunks_exact(48).flat_map(montgomery)).collect()
}

/// Returns an element of 48 bytes, big-endian and below p, in Montgomery form: doubled 384 times.
fn montgomery(bytes: &[u8]) -> [u32; ELEMENT_WORDS] {
    let mut number: [u64; 6] = std::array::from_fn(|word| {
        let first = 40 - 8 * word;
        bytes[first..first + 8].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    });
    for _ in 0..384 {
        let mut carry = 0;
        for word in &mut number {
            (*word, carry) = (*word << 1 | carry, *word >> 63);
        }
        let mut borrow = false;
        let difference: [u64; 6] = std::array::from_fn(|place| {
            let (first, under) = number[place].overflowing_sub(MODULUS[place]);
            let (second, again) = first.overflowing_sub(u64::from(borrow));
            borrow = under || again;
            second
        });
        if !borrow {
            number = difference;
        }
    }
    std::array::from_fn(|place| (number[place / 2] >> (place % 2 * 32)) as u32)
}

/// Returns the compressed form of an encoding of a finite point.
pub(super) fn compressed<C: Curve>(encoding: &[u8]) -> Vec<u8> {
    if encoding.len() != C::UNCOMPRESSED_BYTES {
        return encoding.to_vec();
    }
    let (x, y) = encoding.split_at(C::COMPRESSED_BYTES);
    let mut bytes = x.to_vec();
    // The sign is that of the highest coefficient that is not 0.
    let part = y.chunks_exact(48).find(|part| part.iter().any(|byte| *byte != 0));
    bytes[0] |= 0x80 | if part.is_some_and(is_upper) { 0x20 } else { 0 };
    bytes
}

/// Returns `true` if 48 big-endian bytes are above (p − 1)/2.
fn is_upper(y: &[u8]) -> bool {
    let half: Vec<u8> = (0..6)
        .rev()
        .flat_map(|word| {
            let above = if word < 5 { MODULUS[word + 1] << 63 } else { 0 };
            (MODULUS[word] >> 1 | above).to_be_bytes()
        })
        .collect();
    y > &half[..]
}

#[cfg(test)]
mod tests {
    use halimede_bls12_381::{Fr, G1, G2};

    use super::*;

    fn keys_of<C: Curve>() {
        for multiple in 1..20_u64 {
            let point = Point::<C>::generator().times(&Fr::from(multiple));
            for point in [point, point.negated()] {
                assert_eq!(compressed::<C>(&point.to_uncompressed()), point.to_compressed());
                assert_eq!(compressed::<C>(&point.to_compressed()), point.to_compressed());
            }
        }
    }

    #[test]
    fn keys_have_their_compressed_form() {
        keys_of::<G1>();
        keys_of::<G2>();
    }

    #[test]
    fn signs_of_coordinates_without_i() {
        let mut encoding = vec![0; 192];
        encoding[47] = 5;
        encoding[191] = 1;
        assert_eq!(compressed::<G2>(&encoding)[0], 0x80);
        encoding[144] = 0x19;
        assert_eq!(compressed::<G2>(&encoding)[0], 0xa0);
    }

    #[test]
    fn one_in_montgomery_form() {
        let mut one = [0; 48];
        one[47] = 1;
        // 2^384 modulo p, as in kernels/field/primes.cuh.
        assert_eq!(montgomery(&one)[..2], [0x0002_fffd, 0x7609_0000]);
        assert_eq!(montgomery(&[0; 48]), [0; 12]);
    }

    #[test]
    fn tails_end_with_the_number_of_bits() {
        for length in [1, 43, DOMAIN_BYTES] {
            let tail = tail_of(&vec![7; length]);
            assert_eq!(tail[TAIL_WORDS - 1] as usize, 8 * (34 + length));
            assert!(tail[..8].iter().all(|word| *word == 0));
        }
    }
}
