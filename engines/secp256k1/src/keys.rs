// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The public keys of a batch; compressed ones are decompressed in SIMD lanes.
//!
//! Lanes only propose a y. libsecp256k1 parses x and y and checks the curve equation. If it
//! rejects the point, it parses the original bytes. So the key or the error is always that of
//! [`parse_key`].

use halimede_arith::job::{Bytes, Columns};
use halimede_arith::serial::limbs::Limbs;
use halimede_arith::Backend;
use secp256k1::PublicKey;

use crate::cache::KeyCache;
use crate::constants::FIELD_ORDER;
use crate::curve::ordinates;
use crate::key::{of_coordinates, parse_key, KeyError, COMPRESSED_BYTES};
use crate::quotient::{bytes, limbs, subtract};

/// The number of compressed keys from which sixteen lanes are faster than libsecp256k1.
const WORTH_LANES: usize = 4;

/// p.
const P: Limbs = limbs(&FIELD_ORDER);

type Compressed = [u8; COMPRESSED_BYTES];

/// A compressed key that is still to be parsed.
struct Missing<'a> {
    bytes: &'a Compressed,
    x: Limbs,
    /// The index of its first occurrence in the batch.
    place: usize,
}

/// Parses keys as [`parse_key`] does or, with a cache, as [`KeyCache::parse_key`]; in order.
pub(crate) fn parse_keys(
    backend: Backend,
    keys: Bytes<'_>,
    cache: Option<&KeyCache>,
) -> Vec<Result<PublicKey, KeyError>> {
    let mut missing: Vec<Missing> = Vec::new();
    // Repeated keys: their index, and the index of the first occurrence.
    let mut again: Vec<(usize, usize)> = Vec::new();
    let mut parsed = Vec::with_capacity(keys.len());
    for place in 0..keys.len() {
        let bytes = keys.row(place);
        let Some((compressed, x)) = compressed(bytes) else {
            parsed.push(cache.map_or_else(|| parse_key(bytes), |cache| cache.parse_key(bytes)));
            continue;
        };
        if let Some(same) = missing.iter().find(|same| same.x == x && same.bytes == compressed) {
            again.push((place, same.place));
        } else if let Some(key) = cache.and_then(|cache| cache.find(compressed)) {
            parsed.push(Ok(key));
            continue;
        } else {
            missing.push(Missing { bytes: compressed, x, place });
        }
        parsed.push(Err(KeyError::NotOnCurve));
    }
    for (missing, key) in missing.iter().zip(decompress(backend, &missing)) {
        if let (Some(cache), Ok(key)) = (cache, &key) {
            cache.keep(missing.bytes, *key);
        }
        parsed[missing.place] = key;
    }
    for (place, before) in again {
        parsed[place] = match cache {
            Some(cache) => cache.parse_key(keys.row(place)),
            None => parsed[before],
        };
    }
    parsed
}

/// Returns a compressed key and its x, if x is below p.
fn compressed(bytes: &[u8]) -> Option<(&Compressed, Limbs)> {
    let compressed = <&Compressed>::try_from(bytes).ok()?;
    let [2 | 3, x @ ..] = compressed else {
        return None;
    };
    let x = limbs(x);
    subtract(&x, &P).1.then_some((compressed, x))
}

/// Decompresses the keys, in order.
fn decompress(backend: Backend, missing: &[Missing]) -> Vec<Result<PublicKey, KeyError>> {
    let x: Vec<Limbs> = missing.iter().map(|missing| missing.x).collect();
    let y = if x.len() < WORTH_LANES { None } else { ordinates(backend, &x) };
    let Some(y) = y else {
        return missing.iter().map(|missing| parse_key(missing.bytes)).collect();
    };
    // Selects y or p − y by the parity in the prefix.
    let key = |(missing, y): (&Missing, Limbs)| {
        let is_odd = missing.bytes[0] == 3;
        let y = if (y[0] & 1 == 1) == is_odd { y } else { subtract(&P, &y).0 };
        let proposed = of_coordinates([&bytes(&missing.x), &bytes(&y)]);
        proposed.map_or_else(|| parse_key(missing.bytes), Ok)
    };
    missing.iter().zip(y).map(key).collect()
}

#[cfg(test)]
mod tests;
