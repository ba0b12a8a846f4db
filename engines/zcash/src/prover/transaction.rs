// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transactions made for tests: Sapling bundles of invented notes, with genuine proofs and
//! signatures.

use chacha20::rand_core::SeedableRng;
use chacha20::ChaCha20Rng;
use rand_core::Rng;
use redjubjub::{Binding, Signature, SpendAuth};
use sapling_crypto::builder::{
    Builder, BundleType, Error as BuildError, InProgress, Proven, ProverProgress, Unsigned,
};
use sapling_crypto::bundle::Authorized as SaplingAuthorized;
use sapling_crypto::note_encryption::Zip212Enforcement;
use sapling_crypto::value::NoteValue;
use sapling_crypto::zip32::ExtendedSpendingKey;
use sapling_crypto::{Anchor, Bundle, Note, Rseed};
use zcash_primitives::transaction::{Authorized, Transaction, TransactionData, TxVersion};
use zcash_protocol::consensus::{BlockHeight, BranchId};
use zcash_protocol::value::ZatBalance;

use super::description::{Description, OutputDescription};
use super::notes::NoteTree;
use super::SaplingProver;
use crate::hash::Hash;

/// Why no transaction was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeError {
    /// The operating system gave no random numbers.
    #[error("the operating system has no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// The seed has no spending key.
    #[error("the seed has no spending key: choose another")]
    Seed,
    /// `sapling-crypto` refuses the bundle.
    #[error("no bundle can be made of the description: {0}")]
    Build(BuildError),
    /// The transaction cannot be written.
    #[error("the transaction cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

/// A transaction that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeTransaction {
    /// The bytes of the transaction.
    pub bytes: Vec<u8>,
    /// Its identifier.
    pub id: Hash,
    /// The root of the tree of its notes, in the order of its bytes.
    pub anchor: [u8; 32],
    /// The fee in zatoshi: the sum of the spends without the outputs.
    pub fee: u64,
    /// The numbers of spends and outputs, with those that pad the bundle.
    pub counts: [usize; 2],
}

/// Calls a function after each proof.
struct Progress<'f>(&'f mut dyn FnMut(usize));

impl ProverProgress for Progress<'_> {
    fn update(&mut self, current: u32, _: u32) {
        (self.0)(current as usize);
    }
}

type Unauthorized = Bundle<InProgress<Proven, Unsigned>, ZatBalance>;

impl SaplingProver {
    /// Makes the transaction of a description. `progress` is called with the number of proofs that
    /// are made, of all spends and outputs.
    ///
    /// # Errors
    /// [`MakeError`].
    pub fn make_transaction(
        &self,
        description: &Description,
        progress: &mut dyn FnMut(usize),
    ) -> Result<MadeTransaction, MakeError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        let mut random = ChaCha20Rng::from_seed(seed);
        let key = spending_key(description, &mut random)?;
        let (anchor, bundle) = builder(description, &key, &mut random)?;
        let bundle = bundle
            .build::<Self, Self, _, ZatBalance>(std::slice::from_ref(&key), &mut random)
            .map_err(MakeError::Build)?;
        let (bundle, _) = bundle.ok_or(MakeError::Build(BuildError::BundleTypeNotSatisfiable))?;
        let proven = bundle.create_proofs(self, self, &mut random, Progress(progress));
        let digest = digest(description.branch, &proven)?;
        let keys = std::slice::from_ref(key.expsk().ask());
        let signed = proven.apply_signatures(&mut random, digest, keys);
        let transaction = transaction(description.branch, signed.map_err(MakeError::Build)?)?;
        let mut bytes = Vec::new();
        transaction.write(&mut bytes)?;
        let [paid, received] = [
            description.spends.iter().sum::<u64>(),
            description.outputs.iter().map(|output| output.value).sum(),
        ];
        let bundle = transaction.sapling_bundle();
        let count =
            |count: fn(&Bundle<SaplingAuthorized, ZatBalance>) -> usize| bundle.map_or(0, count);
        Ok(MadeTransaction {
            bytes,
            id: Hash(*transaction.txid().as_ref()),
            anchor: anchor.to_bytes(),
            fee: paid - received,
            counts: [
                count(|bundle| bundle.shielded_spends().len()),
                count(|bundle| bundle.shielded_outputs().len()),
            ],
        })
    }
}

/// The key of the description's seed, or a random key.
fn spending_key(
    description: &Description,
    random: &mut ChaCha20Rng,
) -> Result<ExtendedSpendingKey, MakeError> {
    let seed = description.seed.unwrap_or_else(|| bytes(random));
    ExtendedSpendingKey::master(&seed).ok_or(MakeError::Seed)
}

fn bytes(random: &mut ChaCha20Rng) -> [u8; 32] {
    let mut bytes = [0; 32];
    random.fill_bytes(&mut bytes);
    bytes
}

/// Invents the notes, and adds all spends and outputs to a builder. Returns the anchor too.
fn builder(
    description: &Description,
    key: &ExtendedSpendingKey,
    random: &mut ChaCha20Rng,
) -> Result<(Anchor, Builder), MakeError> {
    let viewing = key.to_diversifiable_full_viewing_key();
    let (_, own) = key.default_address();
    let note = |value: &u64| {
        let seed = Rseed::AfterZip212(bytes(random));
        own.create_note(NoteValue::from_raw(*value), seed)
    };
    let notes: Vec<Note> = description.spends.iter().map(note).collect();
    let tree = NoteTree::new(&notes);
    let bundle_type = BundleType::Transactional { bundle_required: true };
    let mut builder = Builder::new(Zip212Enforcement::On, bundle_type, tree.anchor());
    for (index, note) in notes.into_iter().enumerate() {
        let path = tree.path(index).ok_or(MakeError::Build(BuildError::AnchorMismatch))?;
        builder.add_spend(viewing.fvk().clone(), note, path).map_err(MakeError::Build)?;
    }
    for OutputDescription { value, address, memo } in &description.outputs {
        let (to, value) = (address.unwrap_or(own), NoteValue::from_raw(*value));
        builder.add_output(Some(viewing.fvk().ovk), to, value, *memo).map_err(MakeError::Build)?;
    }
    Ok((tree.anchor(), builder))
}

/// The transaction with a bundle and nothing else.
fn transaction(
    branch: BranchId,
    bundle: Bundle<SaplingAuthorized, ZatBalance>,
) -> Result<Transaction, MakeError> {
    let never = BlockHeight::from_u32(0);
    let parts = TransactionData::<Authorized>::from_parts(
        TxVersion::V5,
        branch,
        0,
        never,
        None,
        None,
        Some(bundle),
        None,
    );
    Ok(parts.freeze()?)
}

/// The digest that the signatures sign: the identifier, because the transaction has no transparent
/// inputs (ZIP 244, section S.2). It does not cover signatures, so that zeros take their place.
fn digest(branch: BranchId, bundle: &Unauthorized) -> Result<[u8; 32], MakeError> {
    let unsigned = bundle.clone().map_authorization(
        (),
        |(), proof| proof,
        |(), proof| proof,
        |(), _| Signature::<SpendAuth>::from([0; 64]),
        |(), _| SaplingAuthorized { binding_sig: Signature::<Binding>::from([0; 64]) },
    );
    Ok(*transaction(branch, unsigned)?.txid().as_ref())
}
