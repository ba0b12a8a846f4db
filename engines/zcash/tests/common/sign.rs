// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys, scripts of every usual kind, and signatures for them.

use halimede_zcash::{BlockTransaction, Digests, Hash};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use ripemd::{Digest, Ripemd160};
use secp256k1::{Message, PublicKey, SecretKey};
use sha2::Sha256;
use zcash_script::script::Code;

use super::{Draft, DraftInput};

pub const OP_CHECKSIG: u8 = 0xac;
pub const OP_CHECKMULTISIG: u8 = 0xae;

/// A key, and its encoding in scripts.
#[derive(Clone)]
pub struct Key {
    secret: SecretKey,
    pub bytes: Vec<u8>,
}

impl Key {
    /// Creates a random key, compressed, uncompressed or hybrid.
    pub fn random(random: &mut ChaCha8Rng) -> Self {
        let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
        let public = PublicKey::from_secret_key(&secret);
        let mut bytes = public.serialize_uncompressed().to_vec();
        match random.gen_range(0..4) {
            0 => {}
            1 => bytes[0] = 6 | bytes[64] & 1,
            _ => bytes = public.serialize().to_vec(),
        }
        Self { secret, bytes }
    }

    /// Signs a digest; returns the signature in DER and the hash type.
    pub fn sign(&self, digest: [u8; 32], hash_type: u8) -> Vec<u8> {
        let signature = self.secret.sign_ecdsa(Message::from_digest(digest));
        let mut bytes = signature.serialize_der().to_vec();
        bytes.push(hash_type);
        bytes
    }
}

/// The condition for spending an output.
#[derive(Clone)]
pub enum Lock {
    PubKeyHash(Key),
    PubKey(Key),
    /// The keys, and the indices of those that sign.
    MultiSig(Vec<Key>, Vec<usize>),
    ScriptHash(Box<Lock>),
    /// Another script: this prefix, and then the lock's script.
    After(Vec<u8>, Box<Lock>),
}

impl Lock {
    /// Creates a lock of any usual kind.
    pub fn random(random: &mut ChaCha8Rng) -> Self {
        let base = match random.gen_range(0..4) {
            0 => Self::PubKeyHash(Key::random(random)),
            1 => Self::PubKey(Key::random(random)),
            _ => {
                let count = random.gen_range(1..=6);
                let keys: Vec<_> = (0..count).map(|_| Key::random(random)).collect();
                let signers: Vec<_> = (0..count).filter(|_| random.gen()).collect();
                let signers = if signers.is_empty() { vec![count - 1] } else { signers };
                Self::MultiSig(keys, signers)
            }
        };
        match random.gen() {
            // A pushed script has at most 520 bytes: 6 keys of 65 fit.
            true => Self::ScriptHash(Box::new(base)),
            false => base,
        }
    }

    /// Returns the script of the output.
    pub fn script(&self) -> Vec<u8> {
        match self {
            Self::PubKeyHash(key) => {
                [&[0x76, 0xa9, 20], &hash160(&key.bytes)[..], &[0x88, OP_CHECKSIG]].concat()
            }
            Self::PubKey(key) => [&push(&key.bytes), &[OP_CHECKSIG][..]].concat(),
            Self::MultiSig(keys, signers) => {
                let mut script = vec![0x50 + signers.len() as u8];
                keys.iter().for_each(|key| script.extend(push(&key.bytes)));
                script.extend([0x50 + keys.len() as u8, OP_CHECKMULTISIG]);
                script
            }
            Self::ScriptHash(lock) => [&[0xa9, 20], &hash160(&lock.script())[..], &[0x87]].concat(),
            Self::After(prefix, lock) => [&prefix[..], &lock.script()].concat(),
        }
    }

    /// Returns the signed script.
    fn signed(&self) -> Vec<u8> {
        match self {
            Self::ScriptHash(lock) => lock.script(),
            _ => self.script(),
        }
    }

    /// Returns the pushes of the input, in order, with signatures of this digest.
    pub fn pushes(&self, digest: [u8; 32], hash_type: u8) -> Vec<Vec<u8>> {
        match self {
            Self::PubKeyHash(key) => vec![key.sign(digest, hash_type), key.bytes.clone()],
            Self::PubKey(key) => vec![key.sign(digest, hash_type)],
            Self::MultiSig(keys, signers) => {
                let mut pushes = vec![Vec::new()]; // CHECKMULTISIG pops one value too many
                pushes.extend(signers.iter().map(|signer| keys[*signer].sign(digest, hash_type)));
                pushes
            }
            Self::ScriptHash(lock) => {
                let mut pushes = lock.pushes(digest, hash_type);
                pushes.push(lock.script());
                pushes
            }
            Self::After(_, lock) => lock.pushes(digest, hash_type),
        }
    }
}

/// Creates a script with these pushes.
pub fn script_of(pushes: &[Vec<u8>]) -> Vec<u8> {
    pushes.iter().flat_map(|bytes| push(bytes)).collect()
}

pub fn push(bytes: &[u8]) -> Vec<u8> {
    let mut script = match bytes.len() {
        short @ 0..=75 => vec![short as u8],
        medium @ 76..=255 => vec![0x4c, medium as u8],
        long => [&[0x4d][..], &(long as u16).to_le_bytes()].concat(),
    };
    script.extend(bytes);
    script
}

pub fn hash160(bytes: &[u8]) -> [u8; 20] {
    Ripemd160::digest(Sha256::digest(bytes)).into()
}

/// Creates an input that spends an output with this lock.
pub fn spend(lock: &Lock, random: &mut ChaCha8Rng) -> DraftInput {
    DraftInput {
        txid: Hash(random.gen()),
        vout: random.gen_range(0..5),
        sequence: random.gen(),
        value: random.gen_range(20_000_000_000..400_000_000_000_000),
        script: lock.script(),
    }
}

/// Returns the digest that the signatures of this input sign.
pub fn digest(draft: &Draft, input: usize, code: Vec<u8>, hash_type: u8) -> [u8; 32] {
    let unsigned = draft.bytes(&vec![Vec::new(); draft.inputs.len()]);
    let unsigned = BlockTransaction::parse(&unsigned).unwrap();
    let spent = draft.inputs.iter().map(|input| Some(input.output())).collect();
    Digests::new(&unsigned, Some(draft.branch), spent)
        .digest(input, &Code(code), hash_type)
        .unwrap()
}

/// Returns the pushes of each input.
pub fn pushes(draft: &Draft, locks: &[Lock], hash_types: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let inputs = locks.iter().zip(hash_types).enumerate();
    let pushes = inputs.map(|(index, (lock, hash_type))| {
        lock.pushes(digest(draft, index, lock.signed(), *hash_type), *hash_type)
    });
    pushes.collect()
}
