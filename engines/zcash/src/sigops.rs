// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signature operations, whose number per block is limited.
//!
//! The rule is Bitcoin's before segregated witnesses (Zcash protocol specification, section 7.6,
//! "Other rules inherited from Bitcoin"; zcash/zips #568; zcashd `MAX_BLOCK_SIGOPS` and
//! `ConnectBlock`). All scripts of inputs, including the coinbase, and of outputs are counted
//! statically, run or not, with a check of several keys as twenty. Redeem scripts are counted as
//! well (BIP 16), with the number of keys that is pushed right before the check.
//!
//! The scripts are parsed here and not by `zcash_script`, whose count ends at a push of more than
//! 520 bytes: consensus continues counting after it.

use zcash_transparent::bundle::TxOut;

use crate::block::BlockTransaction;

/// The most signature operations of a block.
pub const MOST_SIGNATURE_OPERATIONS: u64 = 20_000;

const OP_PUSHDATA1: u8 = 0x4c;
const OP_PUSHDATA2: u8 = 0x4d;
const OP_PUSHDATA4: u8 = 0x4e;
const OP_1: u8 = 0x51;
const OP_16: u8 = 0x60;
const OP_CHECKSIG: u8 = 0xac;
const OP_CHECKSIGVERIFY: u8 = 0xad;
const OP_CHECKMULTISIG: u8 = 0xae;
const OP_CHECKMULTISIGVERIFY: u8 = 0xaf;
/// The number of keys counted for a check whose actual number is ignored.
const MOST_KEYS: u64 = 20;

/// The way to count the keys of a `CHECKMULTISIG`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    /// Always twenty.
    Most,
    /// The number pushed before it, if it is 1 to 16; otherwise twenty.
    Said,
}

/// Counts the signature operations of a transaction that spends these outputs; redeem scripts for
/// unknown outputs are omitted.
pub fn signature_operations(transaction: &BlockTransaction, spent: &[Option<TxOut>]) -> u64 {
    let Some(bundle) = transaction.transaction().transparent_bundle() else { return 0 };
    let inputs = bundle.vin.iter().map(|input| &input.script_sig().0 .0[..]);
    let outputs = bundle.vout.iter().map(|output| &output.script_pubkey().0 .0[..]);
    let as_they_stand: u64 =
        inputs.clone().chain(outputs).map(|script| of_script(script, Keys::Most)).sum();
    if transaction.is_coinbase() {
        return as_they_stand;
    }
    let is_redeemed = |spent: &Option<TxOut>| {
        spent.as_ref().is_some_and(|output| is_script_hash(&output.script_pubkey().0 .0))
    };
    let redeemed = inputs.zip(spent).filter(|(_, spent)| is_redeemed(spent));
    as_they_stand + redeemed.map(|(input, _)| of_redeem_script(input)).sum::<u64>()
}

fn of_script(script: &[u8], keys: Keys) -> u64 {
    let (mut count, mut before) = (0, 0);
    // Bytes after a push that exceeds the script are not operations.
    for (opcode, _) in Operations(script).map_while(Result::ok) {
        count += match opcode {
            OP_CHECKSIG | OP_CHECKSIGVERIFY => 1,
            OP_CHECKMULTISIG | OP_CHECKMULTISIGVERIFY => match before {
                OP_1..=OP_16 if keys == Keys::Said => u64::from(before - OP_1) + 1,
                _ => MOST_KEYS,
            },
            _ => 0,
        };
        before = opcode;
    }
    count
}

/// Counts the operations of the script that an input's script pushes last; 0 if the input's script
/// does not only push.
fn of_redeem_script(input: &[u8]) -> u64 {
    let mut last: &[u8] = &[];
    for operation in Operations(input) {
        match operation {
            Ok((opcode, pushed)) if opcode <= OP_16 => last = pushed,
            _ => return 0,
        }
    }
    of_script(last, Keys::Said)
}

/// Returns `true` if the script is `HASH160`, a push of 20 bytes, `EQUAL`, in exactly this form
/// (BIP 16).
fn is_script_hash(script: &[u8]) -> bool {
    matches!(script, [0xa9, 20, .., 0x87] if script.len() == 23)
}

/// An iterator over the operations of a script, with their pushed bytes; numbers are pushed by
/// separate operations.
struct Operations<'s>(&'s [u8]);

/// A push that exceeds the script.
struct Truncated;

impl<'s> Iterator for Operations<'s> {
    type Item = Result<(u8, &'s [u8]), Truncated>;

    fn next(&mut self) -> Option<Self::Item> {
        let (&opcode, rest) = self.0.split_first()?;
        let operation = push(opcode, rest);
        self.0 = operation.map_or(&[], |(_, rest)| rest);
        Some(operation.map(|(pushed, _)| (opcode, pushed)).ok_or(Truncated))
    }
}

/// Splits the bytes after an operation into its pushed bytes and the rest.
fn push(opcode: u8, rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let length_bytes = match opcode {
        OP_PUSHDATA1 => 1,
        OP_PUSHDATA2 => 2,
        OP_PUSHDATA4 => 4,
        _ => 0,
    };
    let (length, rest) = rest.split_at_checked(length_bytes)?;
    let length = match opcode {
        0..OP_PUSHDATA1 => usize::from(opcode),
        _ => length.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte)),
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use zcash_script::script::Code;

    use super::*;

    fn both(script: &[u8]) -> (u64, u64) {
        (of_script(script, Keys::Most), of_script(script, Keys::Said))
    }

    #[test]
    fn operations_count_where_they_stand() {
        let long_push = |opcode: u8, length: &[u8], bytes: usize| {
            let pushed: Vec<u8> = (0..bytes).map(|at| 0xa9 + (at % 8) as u8).collect();
            [&[opcode], length, &pushed, &[OP_CHECKSIG]].concat()
        };
        let cases: [(Vec<u8>, (u64, u64)); 16] = [
            (vec![], (0, 0)),
            (vec![0xac, 0xad, 0x69], (2, 2)),
            (vec![0xae], (20, 20)),
            (vec![0x53, 0xae], (20, 3)),
            (vec![0x60, 0xaf], (20, 16)),
            (vec![0x00, 0xae], (20, 20)),
            (vec![0x50, 0xae], (20, 20)),
            (vec![0x52, 0x61, 0xae], (20, 20)),
            (vec![1, 2, 0xae], (20, 20)),
            (vec![0x51, 0xae, 0xae], (40, 21)),
            // Operations that scripts must not have, and operations beyond the script's end.
            (vec![0x7e, 0xab, 0x6a, 0xff, 0xac], (1, 1)),
            (vec![0xac, 5, 0xac, 0xac, 0xac, 0xac], (1, 1)),
            (vec![0xac, 0x4d, 0xac], (1, 1)),
            (long_push(0x4c, &[200], 200), (1, 1)),
            (long_push(0x4d, &[0x2c, 2], 556), (1, 1)),
            (long_push(0x4e, &[9, 3, 0, 0], 777), (1, 1)),
        ];
        for (script, expected) in cases {
            assert_eq!(both(&script), expected, "{script:02x?}");
        }
        assert_eq!(both(&long_push(0x4e, &[0xff; 4], 777)), (0, 0));
    }

    #[test]
    fn redeem_scripts_are_what_is_pushed_last() {
        let redeem = [0x52, 0xae, 0xac];
        let pushed = |bytes: &[u8]| [&[bytes.len() as u8], bytes].concat();
        let cases = [
            (pushed(&redeem), 3),
            ([pushed(&[7; 9]), vec![0x00, 0x51], pushed(&redeem)].concat(), 3),
            ([pushed(&redeem), vec![0x00]].concat(), 0),
            ([pushed(&redeem), vec![0x51]].concat(), 0),
            ([vec![0x61], pushed(&redeem)].concat(), 0),
            ([pushed(&redeem), vec![0x61]].concat(), 0),
            ([vec![0x4c, 3], redeem.to_vec()].concat(), 3),
            (vec![3, 0x52, 0xae], 0),
            (vec![], 0),
        ];
        for (input, expected) in cases {
            assert_eq!(of_redeem_script(&input), expected, "{input:02x?}");
        }
        let mut hash = [vec![0xa9, 20], (0..20).collect(), vec![0x87]].concat();
        assert!(is_script_hash(&hash));
        hash.push(0x61);
        assert!(!is_script_hash(&hash) && !is_script_hash(&hash[..22]));
    }

    /// The count of `zcash_script` agrees if no push is longer than a redeem script may be.
    #[test]
    fn random_scripts_count_as_elsewhere() {
        let mut random = ChaCha8Rng::seed_from_u64(0x519);
        let mut total = 0;
        for _ in 0..20_000 {
            let length = random.gen_range(0..60);
            let byte = |random: &mut ChaCha8Rng| match random.gen_range(0..3) {
                0 => random.gen_range(0xab..=0xaf),
                1 => random.gen_range(0x4f..=0x61),
                _ => random.gen(),
            };
            let script: Vec<u8> = (0..length).map(|_| byte(&mut random)).collect();
            let code = Code(script.clone());
            let theirs = (code.sig_op_count(false).into(), code.sig_op_count(true).into());
            assert_eq!(both(&script), theirs, "{script:02x?}");
            total += theirs.1;
        }
        assert!(total > 100_000, "{total}");
    }
}
