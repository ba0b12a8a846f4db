// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Regtest blocks with solutions.

use halimede_equihash::{minimal_from_indices, Header, Params, Solver};
use halimede_zcash::Network;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::block_bytes;

/// The length in bytes of a header of (48, 5): fields, the solution's length and the solution.
pub const HEADER_BYTES: usize = 140 + 1 + 36;
/// The position of the target.
pub const BITS_AT: usize = 104;

/// A block of these transactions with a solution, after `change` has edited the 140 bytes of the
/// header. Its hash meets the network's limit, and its own target if that is equally easy.
pub fn solved(
    transactions: &[Vec<u8>],
    change: impl Fn(&mut [u8; 140]),
    random: &mut ChaCha8Rng,
) -> Vec<u8> {
    let unsolved = block_bytes(Network::Regtest, transactions);
    let (fields, rest) = unsolved.split_first_chunk::<140>().unwrap();
    let mut fields = *fields;
    let limit = Network::Regtest.limit();
    fields[BITS_AT..BITS_AT + 4].copy_from_slice(&limit.to_compact().to_le_bytes());
    change(&mut fields);
    let solver = Solver::new(Params::REGTEST);
    loop {
        random.fill(&mut fields[BITS_AT + 4..]);
        for indices in solver.solve(&fields).unwrap() {
            let minimal = minimal_from_indices(Params::REGTEST, &indices).unwrap();
            let header = Header::new(Params::REGTEST, fields, minimal).unwrap();
            if limit.is_met_by(header.hash().as_bytes()) {
                return [&header.to_bytes(), &rest[HEADER_BYTES - 140..]].concat();
            }
        }
    }
}
