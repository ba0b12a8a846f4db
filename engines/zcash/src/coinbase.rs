// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The script of a block's first input, which claims the block's height (BIP 34; Zcash protocol
//! specification, section 7.1.2).

/// `OP_1`, from which the heights 1 to 16 are counted.
const OP_1: u8 = 0x51;
const OP_16: u8 = 0x60;
/// The most bytes of a height.
const MOST_HEIGHT_BYTES: u8 = 5;

/// Returns the height at the start of the script, if it is in canonical form: `OP_1` to `OP_16`, or
/// a push of the fewest bytes that hold it, little-endian, with a sign.
pub fn height_of_script(script: &[u8]) -> Option<u32> {
    let (&first, rest) = script.split_first()?;
    match first {
        OP_1..=OP_16 => Some(u32::from(first - OP_1) + 1),
        1..=MOST_HEIGHT_BYTES => {
            let digits = rest.get(..usize::from(first))?;
            let (&top, below) = digits.split_last()?;
            // The top bit is the sign: a zero byte above is allowed only to keep the sign bit
            // clear.
            let is_minimal = top != 0 || below.last().is_some_and(|next| *next >= 0x80);
            let mut bytes = [0; 8];
            bytes[..digits.len()].copy_from_slice(digits);
            let height = u32::try_from(u64::from_le_bytes(bytes)).ok();
            height.filter(|height| is_minimal && top < 0x80 && *height > 16)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_read_as_they_are_written() {
        let cases: [(&[u8], Option<u32>); 18] = [
            (&[0x51, 0x00], Some(1)),
            (&[0x60], Some(16)),
            (&[1, 17, 9, 9], Some(17)),
            (&[1, 0x7f], Some(127)),
            (&[2, 0x80, 0], Some(128)),
            (&[2, 0x5a, 0x01], Some(346)),
            (&[3, 0x18, 0x55, 0x06], Some(415_000)),
            (&[5, 0xff, 0xff, 0xff, 0xff, 0x00], Some(u32::MAX)),
            (&[], None),
            (&[0x00], None),
            (&[0x61], None),
            (&[1, 16], None),
            (&[1, 0x80], None),
            (&[2, 0x7f, 0], None),
            (&[2, 0x5a], None),
            (&[3, 0x18, 0x55, 0x86], None),
            (&[5, 0, 0, 0, 0, 1], None),
            (&[6, 1, 2, 3, 4, 5, 6], None),
        ];
        for (script, height) in cases {
            assert_eq!(height_of_script(script), height, "{script:02x?}");
        }
    }
}
