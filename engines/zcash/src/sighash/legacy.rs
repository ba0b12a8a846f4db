// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signature hashes before Overwinter: double SHA-256 of the transaction, with the scripts of all
//! inputs empty except that of the signed one, and without the parts that the hash type excludes.
//! As in Bitcoin (Zcash protocol specification, section 4.10), plus the JoinSplits, their key, and
//! zeros for their signature.

use halimede_equihash::push_compact_size;
use zcash_transparent::bundle::{Authorized, TxIn, TxOut};
use zcash_transparent::sighash::{
    SIGHASH_ANYONECANPAY, SIGHASH_MASK, SIGHASH_NONE, SIGHASH_SINGLE,
};

use crate::block::BlockTransaction;
use crate::hash::double_sha256;

/// The version from which a transaction has JoinSplits.
const JOINSPLIT_VERSION: u32 = 2;
/// The length of the JoinSplits' signature in bytes.
const JOINSPLIT_SIGNATURE_BYTES: usize = 64;
/// The encoding of an excluded output: the value −1 and no script.
const LEFT_OUT: [u8; 9] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0];

/// The serialized parts of a transaction.
pub struct Legacy {
    version: [u8; 4],
    inputs: Vec<Input>,
    outputs: Vec<Vec<u8>>,
    /// Lock time and JoinSplits.
    tail: Vec<u8>,
}

struct Input {
    /// The spent output.
    prevout: [u8; 36],
    sequence: [u8; 4],
}

impl Legacy {
    /// Serializes the parts of a transaction before Overwinter.
    pub fn new(transaction: &BlockTransaction) -> Self {
        let data = transaction.transaction();
        let bundle = data.transparent_bundle();
        let inputs = bundle.map_or(&[][..], |bundle| &bundle.vin);
        let outputs = bundle.map_or(&[][..], |bundle| &bundle.vout);
        let version = data.version().header();
        let mut tail = data.lock_time().to_le_bytes().to_vec();
        if version >= JOINSPLIT_VERSION {
            tail.extend(joinsplits(transaction));
        }
        Self {
            version: version.to_le_bytes(),
            inputs: inputs.iter().map(Input::new).collect(),
            outputs: outputs.iter().map(output_bytes).collect(),
            tail,
        }
    }

    /// Computes the digest that a signature of this type signs in this input; for `SINGLE`, the
    /// output with the index of the input must exist. Hash types of signatures in scripts have one
    /// byte.
    pub fn digest(&self, signed: usize, script_code: &[u8], hash_type: u32) -> [u8; 32] {
        let [low, ..] = hash_type.to_le_bytes();
        let anyone_can_pay = low & SIGHASH_ANYONECANPAY != 0;
        let of_outputs = low & SIGHASH_MASK;
        let keeps_sequences = !matches!(of_outputs, SIGHASH_NONE | SIGHASH_SINGLE);
        let mut bytes = self.version.to_vec();
        let inputs: Vec<_> = match (anyone_can_pay, self.inputs.get(signed)) {
            (true, Some(input)) => vec![(signed, input)],
            _ => self.inputs.iter().enumerate().collect(),
        };
        push_compact_size(&mut bytes, inputs.len() as u64);
        for (index, input) in inputs {
            let is_signed = index == signed;
            let script = if is_signed { script_code } else { &[] };
            bytes.extend(input.prevout);
            push_compact_size(&mut bytes, script.len() as u64);
            bytes.extend(script);
            bytes.extend(if is_signed || keeps_sequences { input.sequence } else { [0; 4] });
        }
        self.push_outputs(&mut bytes, signed, of_outputs);
        bytes.extend(&self.tail);
        bytes.extend(hash_type.to_le_bytes());
        double_sha256(&bytes).0
    }

    fn push_outputs(&self, bytes: &mut Vec<u8>, signed: usize, of_outputs: u8) {
        let kept = match of_outputs {
            SIGHASH_NONE => 0,
            SIGHASH_SINGLE => self.outputs.len().min(signed + 1),
            _ => self.outputs.len(),
        };
        push_compact_size(bytes, kept as u64);
        for (index, output) in self.outputs[..kept].iter().enumerate() {
            let is_kept = of_outputs != SIGHASH_SINGLE || index == signed;
            bytes.extend(if is_kept { output } else { &LEFT_OUT[..] });
        }
    }
}

impl Input {
    fn new(input: &TxIn<Authorized>) -> Self {
        let mut prevout = [0; 36];
        prevout[..32].copy_from_slice(input.prevout().hash());
        prevout[32..].copy_from_slice(&input.prevout().n().to_le_bytes());
        Self { prevout, sequence: input.sequence().to_le_bytes() }
    }
}

fn output_bytes(output: &TxOut) -> Vec<u8> {
    let mut bytes = output.value().to_i64_le_bytes().to_vec();
    let script = &output.script_pubkey().0 .0;
    push_compact_size(&mut bytes, script.len() as u64);
    bytes.extend(script);
    bytes
}

/// Returns the end of the transaction: the JoinSplits with their number, their key and zeros for
/// their signature.
fn joinsplits(transaction: &BlockTransaction) -> Vec<u8> {
    let bytes = transaction.bytes();
    let Some(bundle) = transaction.transaction().sprout_bundle() else { return vec![0] };
    let number = bundle.joinsplits.len();
    // All JoinSplits of a version have the same length, so writing one suffices.
    let mut one = Vec::new();
    let written = bundle.joinsplits.first().map(|first| first.write(&mut one));
    debug_assert!(matches!(written, Some(Ok(()))));
    let length = number * one.len() + bundle.joinsplit_pubkey.len() + JOINSPLIT_SIGNATURE_BYTES;
    let mut joinsplits = Vec::with_capacity(length + 9);
    push_compact_size(&mut joinsplits, number as u64);
    let signature = bytes.len() - JOINSPLIT_SIGNATURE_BYTES;
    joinsplits.extend(&bytes[bytes.len() - length..signature]);
    joinsplits.extend([0; JOINSPLIT_SIGNATURE_BYTES]);
    joinsplits
}
