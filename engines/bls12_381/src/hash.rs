// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashing to the groups (RFC 9380, sections 8.8.1 and 8.8.2): suites
//! `BLS12381G1_XMD:SHA-256_SSWU_RO_`, `…_NU_`, and the same for G2.

use std::borrow::Cow;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::lanes::{has_lanes, POINTS_OF_G1};
use crate::library::{fp_from_be, Curve};
use crate::Point;

/// Why hashing or mapping fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// The domain separation tag is empty; RFC 9380, section 3.1, requires at least one byte.
    #[error("the domain separation tag is empty")]
    EmptyDomain,
    /// An element of Fp to map is not below p.
    #[error("element {element} is not below the modulus")]
    NotCanonical {
        /// The index of the element of 48 bytes, from 0.
        element: usize,
    },
    /// The length is not that of an element.
    #[error("an element of the field of {group} has {expected} bytes, not {got}")]
    Length {
        /// `G1` or `G2`.
        group: &'static str,
        /// Bytes of an element.
        expected: usize,
        /// The number of bytes given.
        got: usize,
    },
}

/// Hashes a message to a point: `hash_to_curve`, indifferentiable from a random point. A domain of
/// more than 255 bytes is hashed first (section 5.3.3).
///
/// # Errors
/// [`HashError::EmptyDomain`].
pub fn hash_to_curve<C: Curve>(domain: &[u8], message: &[u8]) -> Result<Point<C>, HashError> {
    match domain {
        [] => Err(HashError::EmptyDomain),
        _ => Ok(Point::of_group(C::to_affine(&[C::hash(domain, &[], message)])[0])),
    }
}

/// Hashes many messages with `hash_to_curve`, on the threads of the current pool.
///
/// # Errors
/// [`HashError::EmptyDomain`].
pub fn all_to_curve<C: Curve>(
    domain: &[u8],
    messages: &[&[u8]],
) -> Result<Vec<Point<C>>, HashError> {
    if domain.is_empty() {
        return Err(HashError::EmptyDomain);
    }
    let messages: Vec<(&[u8], &[u8])> =
        messages.iter().map(|message| (&[][..], *message)).collect();
    Ok(hashes::<C>(domain, &messages).into_iter().map(Point::of_group).collect())
}

/// The number of points that share the inversion of their Zs.
const POINTS_AN_INVERSION: usize = 64;

/// Returns affine hashes of many messages, each with its prefix, on the threads of the current
/// pool.
pub(crate) fn hashes<C: Curve>(domain: &[u8], messages: &[(&[u8], &[u8])]) -> Vec<C::Affine> {
    let together = if has_lanes() { POINTS_OF_G1 } else { 1 };
    let hashes: Vec<C::Jacobian> = match messages.len() <= together {
        true => C::hashes(domain, messages),
        false => messages
            .par_chunks(together)
            .flat_map_iter(|messages| C::hashes(domain, messages))
            .collect(),
    };
    match hashes.len() <= POINTS_AN_INVERSION {
        true => C::to_affine(&hashes),
        false => hashes.par_chunks(POINTS_AN_INVERSION).flat_map_iter(C::to_affine).collect(),
    }
}

/// The most bytes of a domain separation tag that `expand_message_xmd` uses as it is.
const DOMAIN_BYTES: usize = 255;

/// Returns the tag that hashes with a domain separation tag use: itself, or its hash if it has more
/// than 255 bytes (section 5.3.3).
pub fn used_domain(domain: &[u8]) -> Cow<'_, [u8]> {
    match domain.len() <= DOMAIN_BYTES {
        true => Cow::Borrowed(domain),
        false => {
            let hash = Sha256::new().chain_update(b"H2C-OVERSIZE-DST-").chain_update(domain);
            Cow::Owned(hash.finalize().to_vec())
        }
    }
}

/// Hashes a message with `encode_to_curve`: one map instead of two, which reaches about half of the
/// points.
///
/// # Errors
/// [`HashError::EmptyDomain`].
pub fn encode_to_curve<C: Curve>(domain: &[u8], message: &[u8]) -> Result<Point<C>, HashError> {
    match domain {
        [] => Err(HashError::EmptyDomain),
        _ => Ok(Point::of_group(C::to_affine(&[C::encode(domain, message)])[0])),
    }
}

/// Maps an element of the coordinate field to the group: `map_to_curve` and `clear_cofactor`. The
/// element is 48 big-endian bytes for G1, and twice 48 for G2, constant term first.
///
/// # Errors
/// [`HashError::Length`], [`HashError::NotCanonical`].
pub fn map_to_curve<C: Curve>(element: &[u8]) -> Result<Point<C>, HashError> {
    let (parts, []) = element.as_chunks::<48>() else {
        return Err(wrong_length::<C>(element));
    };
    if parts.len() != C::DEGREE {
        return Err(wrong_length::<C>(element));
    }
    let read = |(element, part)| fp_from_be(part).ok_or(HashError::NotCanonical { element });
    let elements = parts.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(Point::of_group(C::to_affine(&[C::map(&C::coordinate(&elements))])[0]))
}

fn wrong_length<C: Curve>(element: &[u8]) -> HashError {
    HashError::Length { group: C::NAME, expected: 48 * C::DEGREE, got: element.len() }
}
