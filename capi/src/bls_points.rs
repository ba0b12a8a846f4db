// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of BLS12-381: pairings, sums of multiples, hashes to the groups, Ethereum's precompiles.

use halimede_bls12_381::eip2537::Precompile;
use halimede_device::flat::points::{self, Curve, ToCurve, GT_BYTES};

use crate::bls::require_length;
use crate::device::{resolve, Device};
use crate::memory::{require, Array};
use crate::status::{answer, Failure, Status};
use crate::verdict::{bytes, column, Bytes};

/// Bytes of a number that a point is multiplied by.
const SCALAR_BYTES: usize = 32;

/// A group of points of BLS12-381.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlsCurve {
    /// Points of 48 bytes.
    G1 = 0,
    /// Points of 96 bytes.
    G2 = 1,
}

impl BlsCurve {
    fn from_number(number: u32) -> Result<Curve, Failure> {
        match number {
            _ if number == Self::G1 as u32 => Ok(Curve::G1),
            _ if number == Self::G2 as u32 => Ok(Curve::G2),
            _ => {
                let message = format!("curve is {number}, there are 0 and 1");
                Err(Failure::new(Status::InvalidArgument, message))
            }
        }
    }
}

/// Ethereum's precompiles for BLS12-381 (EIP-2537).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eip2537 {
    /// BLS12_G1ADD, whose output has 128 bytes.
    G1Add = 0,
    /// BLS12_G1MSM, 128 bytes.
    G1Msm = 1,
    /// BLS12_G2ADD, 256 bytes.
    G2Add = 2,
    /// BLS12_G2MSM, 256 bytes.
    G2Msm = 3,
    /// BLS12_PAIRING_CHECK, 32 bytes.
    PairingCheck = 4,
    /// BLS12_MAP_FP_TO_G1, 128 bytes.
    MapFpToG1 = 5,
    /// BLS12_MAP_FP2_TO_G2, 256 bytes.
    MapFp2ToG2 = 6,
}

/// The header's numbers are the places in the engine's list.
const _: () = {
    assert!(matches!(Precompile::ALL[Eip2537::G1Add as usize], Precompile::G1Add));
    assert!(matches!(Precompile::ALL[Eip2537::G1Msm as usize], Precompile::G1Msm));
    assert!(matches!(Precompile::ALL[Eip2537::G2Add as usize], Precompile::G2Add));
    assert!(matches!(Precompile::ALL[Eip2537::G2Msm as usize], Precompile::G2Msm));
    assert!(matches!(Precompile::ALL[Eip2537::PairingCheck as usize], Precompile::PairingCheck));
    assert!(matches!(Precompile::ALL[Eip2537::MapFpToG1 as usize], Precompile::MapFpToG1));
    assert!(matches!(Precompile::ALL[Eip2537::MapFp2ToG2 as usize], Precompile::MapFp2ToG2));
    assert!(Precompile::ALL.len() == 7);
};

/// The product of the pairings of points of G1 with as many of G2: `product`, uint8_t[576], gets
/// twelve elements of 48 bytes, those of 1, v, v^2, w, vw, v^2 w, constant term first. The pairing
/// is the optimal ate pairing to the power of three. `g1` and `g2` have `count` entries, points
/// compressed or uncompressed.
///
/// Statuses: HALIMEDE_STATUS_MALFORMED for bytes that are not a point of the group, whose message
/// says which row it is; those of pointers and lengths, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_pairing(
    device: *const Device,
    g1: *const Bytes,
    g2: *const Bytes,
    count: usize,
    product: *mut u8,
) -> Status {
    answer(|| {
        let product = Array::new("product", product, &[GT_BYTES])?;
        // SAFETY: so many points, and an open device or NULL, as the header asks.
        let (g1, g2, device) = unsafe {
            (
                column("g1", g1, count, &[product])?,
                column("g2", g2, count, &[product])?,
                resolve(device)?,
            )
        };
        let found = points::pairing_product(device, &g1, &g2)?;
        // SAFETY: a place for the product, as the header asks; apart from the points.
        unsafe { product.into_mut_slice() }.copy_from_slice(&found);
        Ok(())
    })
}

/// Whether the product of the pairings of points of G1 with as many of G2 is 1: `*is_one` gets 1
/// or 0. `g1` and `g2` have `count` entries; of no points it is 1.
///
/// Statuses: those of halimede_bls_pairing().
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_pairing_check(
    device: *const Device,
    g1: *const Bytes,
    g2: *const Bytes,
    count: usize,
    is_one: *mut u32,
) -> Status {
    answer(|| {
        require("is_one", is_one)?;
        let place = Array::new("is_one", is_one.cast::<u8>(), &[size_of::<u32>()])?;
        // SAFETY: so many points, and an open device or NULL, as the header asks.
        let (g1, g2, device) = unsafe {
            (
                column("g1", g1, count, &[place])?,
                column("g2", g2, count, &[place])?,
                resolve(device)?,
            )
        };
        let found = points::is_pairing_product_one(device, &g1, &g2)?;
        // SAFETY: not NULL and aligned; the header asks for a place to write to.
        unsafe { is_one.write(found.into()) };
        Ok(())
    })
}

/// Sums up multiples of points (multi-scalar multiplication), or points where `scalars` is NULL:
/// `sum` gets the compressed sum, in `sum_length` bytes: 48 in G1, 96 in G2.
///
/// `curve` is a halimede_bls_curve. `points` has `count` entries, compressed or uncompressed;
/// `scalars` is uint8_t[count][32]: numbers of 256 bits, big-endian, which count modulo the groups'
/// order. The sum of no points is infinity.
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for another `sum_length`,
/// HALIMEDE_STATUS_INVALID_ARGUMENT for the curve, those of halimede_bls_pairing().
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_sum(
    device: *const Device,
    curve: u32,
    points: *const Bytes,
    scalars: *const u8,
    count: usize,
    sum: *mut u8,
    sum_length: usize,
) -> Status {
    answer(|| {
        let curve = BlsCurve::from_number(curve)?;
        require_length("sum", sum_length, curve.point_bytes())?;
        let sum = Array::new("sum", sum, &[sum_length])?;
        let numbers = if scalars.is_null() { 0 } else { count };
        let numbers = Array::new("scalars", scalars.cast::<[u8; SCALAR_BYTES]>(), &[numbers])?;
        numbers.require_apart(&sum)?;
        // SAFETY: so many points and numbers, and an open device or NULL, as the header asks.
        let (points, numbers, device) = unsafe {
            (column("points", points, count, &[sum])?, numbers.into_slice(), resolve(device)?)
        };
        let numbers = (!scalars.is_null()).then_some(numbers);
        let found = points::sum(device, curve, &points, numbers)?;
        // SAFETY: a place of this length, as the header asks; apart from the rest.
        unsafe { sum.into_mut_slice() }.copy_from_slice(&found);
        Ok(())
    })
}

/// Hashes messages to a group (RFC 9380, with SHA-256 and SSWU): `points`,
/// uint8_t[count][point_length], gets the compressed points; `point_length` is 48 in G1, 96 in G2.
///
/// `curve` is a halimede_bls_curve; `domain`, uint8_t[domain_length], is the domain separation tag,
/// a byte at least; `messages` has `count` entries. Unless `encode` is 0, it is `encode_to_curve`,
/// one map to half of the points, and not `hash_to_curve`.
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for another `point_length` or an empty tag,
/// HALIMEDE_STATUS_INVALID_ARGUMENT for the curve, those of pointers and lengths, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_hash_to_curve(
    device: *const Device,
    curve: u32,
    encode: u32,
    domain: *const u8,
    domain_length: usize,
    messages: *const Bytes,
    count: usize,
    points: *mut u8,
    point_length: usize,
) -> Status {
    answer(|| {
        let curve = BlsCurve::from_number(curve)?;
        require_length("points", point_length, curve.point_bytes())?;
        let points = Array::new("points", points, &[count, point_length])?;
        // SAFETY: a tag of this length, so many messages, and an open device or NULL, as the header
        // asks.
        let (domain, messages, device) = unsafe {
            (
                bytes("domain", domain, domain_length, &[points])?,
                column("messages", messages, count, &[points])?,
                resolve(device)?,
            )
        };
        if domain.is_empty() {
            return Err(Failure::new(Status::WrongLength, "domain: got no bytes"));
        }
        let to = ToCurve { curve, domain: domain.into(), encode: encode != 0 };
        let found = points::hash_to_curve(device, &to, &messages)?;
        // SAFETY: places for so many points, as the header asks; apart from the rest.
        unsafe { points.into_mut_slice() }.copy_from_slice(&found.concat());
        Ok(())
    })
}

/// Maps elements of the coordinates' field to a group (RFC 9380): `points`,
/// uint8_t[count][point_length], gets the compressed points; `point_length` is 48 in G1, 96 in G2,
/// and an element has as many bytes, big-endian, in G2 the constant term first. `elements` has
/// `count` entries.
///
/// Statuses: HALIMEDE_STATUS_MALFORMED for an element of another length or above the modulus, whose
/// message says which row it is, HALIMEDE_STATUS_WRONG_LENGTH for another `point_length`,
/// HALIMEDE_STATUS_INVALID_ARGUMENT for the curve, those of pointers and lengths, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_map_to_curve(
    device: *const Device,
    curve: u32,
    elements: *const Bytes,
    count: usize,
    points: *mut u8,
    point_length: usize,
) -> Status {
    answer(|| {
        let curve = BlsCurve::from_number(curve)?;
        require_length("points", point_length, curve.point_bytes())?;
        let points = Array::new("points", points, &[count, point_length])?;
        // SAFETY: so many elements, and an open device or NULL, as the header asks.
        let (elements, device) =
            unsafe { (column("elements", elements, count, &[points])?, resolve(device)?) };
        let found = points::map_to_curve(device, curve, &elements)?;
        // SAFETY: places for so many points, as the header asks; apart from the elements.
        unsafe { points.into_mut_slice() }.copy_from_slice(&found.concat());
        Ok(())
    })
}

/// Runs one of EIP-2537's precompiles, without its gas: `output` gets its output, in
/// `output_length` bytes, as halimede_eip2537 says. `input` is uint8_t[input_length].
///
/// Statuses: HALIMEDE_STATUS_MALFORMED where the precompile fails, with the reason as the message;
/// HALIMEDE_STATUS_WRONG_LENGTH for another `output_length`, HALIMEDE_STATUS_INVALID_ARGUMENT for
/// the precompile, those of pointers and lengths, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_bls_eip2537(
    device: *const Device,
    precompile: u32,
    input: *const u8,
    input_length: usize,
    output: *mut u8,
    output_length: usize,
) -> Status {
    answer(|| {
        let known = usize::try_from(precompile).ok().and_then(|place| Precompile::ALL.get(place));
        let precompile = known.copied().ok_or_else(|| {
            let message = format!("precompile is {precompile}, there are 0 to 6");
            Failure::new(Status::InvalidArgument, message)
        })?;
        require_length("output", output_length, output_bytes(precompile))?;
        let output = Array::new("output", output, &[output_length])?;
        // SAFETY: an input of this length, and an open device or NULL, as the header asks.
        let (input, device) =
            unsafe { (bytes("input", input, input_length, &[output])?, resolve(device)?) };
        let found = points::precompile(device, precompile, input)?;
        // SAFETY: a place of this length, as the header asks; apart from the input.
        unsafe { output.into_mut_slice() }.copy_from_slice(&found);
        Ok(())
    })
}

fn output_bytes(precompile: Precompile) -> usize {
    match precompile {
        Precompile::PairingCheck => 32,
        Precompile::G1Add | Precompile::G1Msm | Precompile::MapFpToG1 => 128,
        Precompile::G2Add | Precompile::G2Msm | Precompile::MapFp2ToG2 => 256,
    }
}
