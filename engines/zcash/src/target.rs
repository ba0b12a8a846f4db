// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A header's target against the easiest one that its network allows (Zcash protocol specification,
//! sections 5.3, `PoWLimit`, and 7.7.4, `ToTarget`).

use halimede_equihash::operations::VerifyRequest;

use crate::hash::double_sha256;
use crate::network::Network;
use crate::reader::push_compact_size;

/// Bytes of a target.
const TARGET_BYTES: usize = 32;
/// The mantissa's bits in the compact form, and the sign's.
const MANTISSA: u32 = 0x007f_ffff;
const SIGN: u32 = 0x0080_0000;

/// Why a compact target is none on a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetFault {
    /// Zero, negative, or of more than 256 bits.
    #[error("the compact target {0:#010x} is none: zero, negative or too large")]
    NotOne(u32),
    /// Easier than the network allows.
    #[error("the compact target {0:#010x} is easier than the network allows")]
    TooEasy(u32),
}

/// Whether a header's hash, solution included, does not exceed its target.
pub fn meets_target(request: &VerifyRequest) -> bool {
    let header = request.header();
    let bits = [header[104], header[105], header[106], header[107]];
    let Some(target) = expand(u32::from_le_bytes(bits)) else { return false };
    let mut bytes = header.to_vec();
    let solution = request.solution();
    push_compact_size(&mut bytes, solution.len());
    bytes.extend(solution);
    let mut hash = double_sha256(&bytes).0;
    hash.reverse();
    hash <= target
}

/// Whether a network has this target.
///
/// # Errors
/// [`TargetFault`].
pub fn check_target(bits: u32, network: Network) -> Result<(), TargetFault> {
    let target = expand(bits).ok_or(TargetFault::NotOne(bits))?;
    match target > limit(network) {
        true => Err(TargetFault::TooEasy(bits)),
        false => Ok(()),
    }
}

/// The target that a compact form stands for, big-endian; `None` where it stands for none.
pub fn expand(bits: u32) -> Option<[u8; TARGET_BYTES]> {
    let size = (bits >> 24) as usize;
    let [_, mantissa @ ..] = (bits & MANTISSA).to_be_bytes();
    let mut target = [0; TARGET_BYTES];
    let mut is_zero = true;
    for (place, byte) in mantissa.into_iter().enumerate() {
        // The mantissa's digits are those before the last `size`; what comes after falls away.
        let Some(after) = size.checked_sub(place + 1) else { break };
        if byte == 0 {
            continue;
        }
        is_zero = false;
        *target.get_mut((TARGET_BYTES - 1).checked_sub(after)?)? = byte;
    }
    (!is_zero && bits & SIGN == 0).then_some(target)
}

/// The easiest target, big-endian.
fn limit(network: Network) -> [u8; TARGET_BYTES] {
    let mut limit = [0xff; TARGET_BYTES];
    match network {
        Network::Main => [limit[0], limit[1]] = [0, 0x07],
        Network::Test => limit[0] = 0x07,
        Network::Regtest => limit = [0x0f; TARGET_BYTES],
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_targets_are_expanded() {
        let number = |high: u8, at: usize| {
            let mut bytes = [0; TARGET_BYTES];
            bytes[at] = high;
            Some(bytes)
        };
        assert_eq!(expand(0x0112_3456), number(0x12, 31));
        assert_eq!(expand(0x0200_8000), number(0x80, 31));
        assert_eq!(expand(0x2012_0000), number(0x12, 0));
        assert_eq!(expand(0x2100_1200), number(0x12, 0));
        assert_eq!(expand(0x2200_0012), number(0x12, 0));
        for none in
            [0, 0x0100_3456, 0x0492_3456, 0x01fe_dcba, 0x2101_0000, 0xff12_3456, 0x2300_0001]
        {
            assert_eq!(expand(none), None, "{none:#x}");
        }
        // Block 346's: the size's byte is no part of the mantissa, and no bit of it is the sign.
        let target = expand(0x1e03_c3bf).unwrap();
        assert_eq!(target[..6], [0, 0, 0x03, 0xc3, 0xbf, 0]);
        assert!(expand(0x1f07_ffff).is_some());
    }

    #[test]
    fn networks_have_their_limits() {
        let cases = [
            (Network::Main, 0x1f07_ffff, 0x1f08_0000),
            (Network::Test, 0x2007_ffff, 0x2008_0000),
            (Network::Regtest, 0x200f_0f0f, 0x200f_0f10),
        ];
        for (network, easiest, too_easy) in cases {
            assert_eq!(check_target(easiest, network), Ok(()));
            assert_eq!(check_target(too_easy, network), Err(TargetFault::TooEasy(too_easy)));
            assert_eq!(check_target(0x1e03_c3bf, network), Ok(()));
            assert_eq!(check_target(0, network), Err(TargetFault::NotOne(0)));
        }
    }
}
