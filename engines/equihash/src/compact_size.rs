// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lengths as the network encodes them: `compactSize` (Zcash protocol specification, section 7.1).

/// Returns a header without its solution, the length of the solution and the solution, in the
/// network's format.
pub(crate) fn header_bytes(fields: &[u8], solution: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(fields.len() + LONGEST_PREFIX_BYTES + solution.len());
    bytes.extend_from_slice(fields);
    push_compact_size(&mut bytes, solution.len() as u64);
    bytes.extend_from_slice(solution);
    bytes
}

/// The maximum length of a `compactSize` in bytes.
const LONGEST_PREFIX_BYTES: usize = 9;

/// Returns the number of bytes of the shortest encoding of a length.
pub(crate) fn form_of(value: u64) -> usize {
    match value {
        0..0xfd => 1,
        0xfd..0x1_0000 => 3,
        0x1_0000..0x1_0000_0000 => 5,
        _ => 9,
    }
}

/// Appends a `compactSize` in its shortest encoding (Zcash protocol specification, section 7.1).
pub fn push_compact_size(bytes: &mut Vec<u8>, value: u64) {
    let (first, digits) = match form_of(value) {
        1 => return bytes.push(value as u8),
        3 => (0xfd, 2),
        5 => (0xfe, 4),
        _ => (0xff, 8),
    };
    bytes.push(first);
    bytes.extend_from_slice(&value.to_le_bytes()[..digits]);
}
