// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sapling proofs: the same as bellman's for the same random numbers, and a wallet's transaction.

use std::convert::Infallible;
use std::sync::LazyLock;

use bls12_381::Bls12;
use groth16::{create_proof, Parameters};
use halimede_arith::Fr;
use halimede_bls12_381::groth16::prove::circuit::{assign, CircuitError};
use halimede_bls12_381::groth16::prove::{Blinding, ProveError};
use halimede_bls12_381::groth16::Rejection;
use halimede_bls12_381::reduced;
use halimede_zcash::prover::{ParametersError, SaplingProver};
use halimede_zcash::{Block, Network, ShieldedFault, TransactionFault};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_core::{TryCryptoRng, TryRng};
use sapling_crypto::circuit::{Output, OutputParameters, Spend, SpendParameters};
use sapling_crypto::prover::{OutputProver, SpendProver};
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor};
use sapling_crypto::zip32::ExtendedSpendingKey;
use sapling_crypto::{
    Anchor, BatchValidator, CommitmentTree, IncrementalWitness, MerklePath, Node, Note, Rseed,
};
use zcash_primitives::transaction::builder::{BuildConfig, Builder, BundlePadding};
use zcash_primitives::transaction::fees::zip317;
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::{BlockHeight, BranchId, MAIN_NETWORK};
use zcash_protocol::memo::MemoBytes;
use zcash_protocol::value::Zatoshis;
use zcash_transparent::builder::TransparentSigningSet;

use crate::common::real::Real;

static FILES: LazyLock<(Vec<u8>, Vec<u8>)> =
    LazyLock::new(wagyu_zcash_parameters::load_sapling_parameters);
pub static PROVER: LazyLock<SaplingProver> =
    LazyLock::new(|| SaplingProver::new(&FILES.0, &FILES.1).unwrap());

/// A generator with a printed seed, which `HALIMEDE_SEED` sets, and the traits of the crates here.
pub struct Generator(ChaCha8Rng);

impl Generator {
    pub fn new() -> Self {
        let seed = std::env::var("HALIMEDE_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed: u64 = seed.unwrap_or_else(|| rand::thread_rng().gen());
        #[allow(clippy::print_stdout)]
        {
            println!("HALIMEDE_SEED={seed}");
        }
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn scalar(&mut self) -> Fr {
        reduced(&self.0.gen())
    }
}

impl TryRng for Generator {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.gen())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.gen())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Generator {}

/// A wallet with a note in a tree of several notes.
struct Wallet {
    key: ExtendedSpendingKey,
    note: Note,
    path: MerklePath,
    anchor: Anchor,
}

impl Wallet {
    fn new(rng: &mut Generator, value: u64) -> Self {
        let key = ExtendedSpendingKey::master(&rng.0.gen::<[u8; 32]>()).unwrap();
        let (_, address) = key.default_address();
        let note = |rng: &mut Generator, value| {
            let seed = Rseed::AfterZip212(rng.0.gen());
            address.create_note(NoteValue::from_raw(value), seed)
        };
        let (before, after) = (rng.0.gen_range(0..5), rng.0.gen_range(0..5));
        let mut tree = CommitmentTree::empty();
        for _ in 0..before {
            tree.append(Node::from_cmu(&note(rng, 7).cmu())).unwrap();
        }
        let own = note(rng, value);
        tree.append(Node::from_cmu(&own.cmu())).unwrap();
        let mut witness = IncrementalWitness::from_tree(tree).unwrap();
        for _ in 0..after {
            witness.append(Node::from_cmu(&note(rng, 9).cmu())).unwrap();
        }
        let (path, anchor) = (witness.path().unwrap(), witness.root().into());
        Self { key, note: own, path, anchor }
    }

    fn spend(&self, rng: &mut Generator) -> Spend {
        <SaplingProver as SpendProver>::prepare_circuit(
            self.key.expsk().proof_generation_key(),
            *self.note.recipient().diversifier(),
            *self.note.rseed(),
            self.note.value(),
            jubjub::Fr::from_raw(rng.0.gen()),
            ValueCommitTrapdoor::random(rng),
            Option::from(bls12_381::Scalar::from_bytes(&self.anchor.to_bytes())).unwrap(),
            self.path.clone(),
        )
        .unwrap()
    }

    fn output(&self, rng: &mut Generator) -> Output {
        <SaplingProver as OutputProver>::prepare_circuit(
            &self.note.generate_or_derive_esk(rng),
            self.note.recipient(),
            self.note.rcm(),
            self.note.value(),
            ValueCommitTrapdoor::random(rng),
        )
    }
}

fn peer_scalar(scalar: &Fr) -> bls12_381::Scalar {
    Option::from(bls12_381::Scalar::from_bytes(&scalar.to_le_bytes())).unwrap()
}

fn encoded(proof: &groth16::Proof<Bls12>) -> Vec<u8> {
    let mut bytes = Vec::new();
    proof.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn spends_and_outputs_have_bellmans_proofs_bit_for_bit() {
    let mut rng = Generator::new();
    let wallet = Wallet::new(&mut rng, 123_456_789);
    let (r, s) = (rng.scalar(), rng.scalar());
    let blinding = || Blinding::of(r, s);
    let (peer_r, peer_s) = (peer_scalar(&r), peer_scalar(&s));

    let output = wallet.output(&mut rng);
    let parameters = Parameters::<Bls12>::read(&FILES.1[..], false).unwrap();
    let assignment = assign::<bls12_381::Scalar, _>(output.clone()).unwrap();
    let proof = PROVER.output_key().prove_with(assignment, blinding()).unwrap();
    let expected = create_proof::<Bls12, _, _>(output, &parameters, peer_r, peer_s).unwrap();
    assert_eq!(proof[..], encoded(&expected));

    let spend = wallet.spend(&mut rng);
    let parameters = Parameters::<Bls12>::read(&FILES.0[..], false).unwrap();
    let assignment = assign::<bls12_381::Scalar, _>(spend.clone()).unwrap();
    let proof = PROVER.spend_key().prove_with(assignment, blinding()).unwrap();
    let expected = create_proof::<Bls12, _, _>(spend, &parameters, peer_r, peer_s).unwrap();
    assert_eq!(proof[..], encoded(&expected));
}

/// The anchor of another tree, and a path that is not the note's.
#[test]
fn spends_of_notes_that_are_not_in_the_tree_have_no_proof() {
    let mut rng = Generator::new();
    let [wallet, other] = [1, 2].map(|value| Wallet::new(&mut rng, value));
    let mut spend = wallet.spend(&mut rng);
    spend.anchor = other.spend(&mut rng).anchor;
    let error = PROVER.prove_spend(spend).unwrap_err();
    assert!(matches!(error, CircuitError::Prove(ProveError::Unsatisfied { .. })), "{error}");
    let mut spend = wallet.spend(&mut rng);
    spend.auth_path[3] = spend.auth_path[3].map(|(node, is_right)| (node, !is_right));
    let error = PROVER.prove_spend(spend).unwrap_err();
    assert!(matches!(error, CircuitError::Prove(ProveError::Unsatisfied { .. })), "{error}");
    let mut output = wallet.output(&mut rng);
    output.esk = None;
    let error = PROVER.prove_output(output).unwrap_err();
    assert!(matches!(error, CircuitError::Synthesis(_)), "{error}");
}

#[test]
fn other_parameters_are_refused() {
    let error = SaplingProver::new(&FILES.1, &FILES.0).unwrap_err();
    let is_it = |error: &ParametersError, expected: &str| {
        matches!(error,
        ParametersError::OtherFile { name, .. } if *name == expected)
    };
    assert!(is_it(&error, "sapling-spend.params"), "{error}");
    let mut output = FILES.1.clone();
    *output.last_mut().unwrap() ^= 1;
    let error = SaplingProver::new(&FILES.0, &output).unwrap_err();
    assert!(is_it(&error, "sapling-output.params"), "{error}");
    assert!(SaplingProver::new(&FILES.0[1..], &FILES.1).is_err());
}

/// Builds a transaction with one spend and two outputs, as a wallet does.
fn transaction(rng: &mut Generator) -> Transaction {
    let wallet = Wallet::new(rng, 1_000_000);
    let config = BuildConfig::Standard {
        sapling_anchor: Some(wallet.anchor),
        orchard_anchor: None,
        ironwood_anchor: None,
        orchard_padding: BundlePadding::DEFAULT,
        ironwood_padding: BundlePadding::DEFAULT,
    };
    let mut builder = Builder::new(MAIN_NETWORK, BlockHeight::from_u32(1_687_121), config);
    let key = wallet.key.to_diversifiable_full_viewing_key();
    let (_, to) = Wallet::new(rng, 1).key.default_address();
    builder.add_sapling_spend::<Infallible>(key.fvk().clone(), wallet.note, wallet.path).unwrap();
    for value in [300_000, 690_000] {
        let (value, memo) = (Zatoshis::const_from_u64(value), MemoBytes::empty());
        builder.add_sapling_output::<Infallible>(None, to, value, memo).unwrap();
    }
    let prover = &*PROVER;
    let built = builder.build(
        &TransparentSigningSet::new(),
        &[wallet.key],
        &[],
        rng,
        prover,
        prover,
        &zip317::FeeRule::standard(),
    );
    built.unwrap().transaction().clone()
}

/// Reads a transaction again and checks its Sapling bundle with `sapling-crypto`. A transaction of
/// version 5 without transparent inputs signs its identifier (ZIP 244, section S.2).
pub fn is_accepted(bytes: &[u8], rng: &mut Generator) -> bool {
    let Ok(transaction) = Transaction::read(bytes, BranchId::Nu5) else { return false };
    let Some(bundle) = transaction.sapling_bundle().cloned() else { return false };
    let spend = SpendParameters::read(&FILES.0[..], false).unwrap().verifying_key();
    let output = OutputParameters::read(&FILES.1[..], false).unwrap().verifying_key();
    let mut validator = BatchValidator::new();
    validator.check_bundle(bundle, *transaction.txid().as_ref())
        && validator.validate(&spend, &output, rng)
}

/// Returns this crate's faults of a transaction in a block.
pub fn faults(transaction: &[u8]) -> Vec<TransactionFault> {
    let real = Real::all().into_iter().rfind(|real| real.network == Network::Main).unwrap();
    assert_eq!(real.height, 1_687_121, "the transaction's branch");
    let block = Block::parse(&real.bytes, real.network).unwrap();
    let coinbase = block.transactions()[0].range();
    // The byte before the coinbase transaction is the number of transactions.
    let mut bytes = real.bytes[..coinbase.end].to_vec();
    bytes[coinbase.start - 1] = 2;
    bytes.extend(transaction);
    let Some(report) = real.report(&bytes) else { panic!("the block is parsed") };
    report.transactions[1].faults.clone()
}

#[test]
fn a_wallets_transaction_is_accepted_and_no_changed_proof_is() {
    let mut rng = Generator::new();
    let transaction = transaction(&mut rng);
    let bundle = transaction.sapling_bundle().unwrap();
    assert_eq!((bundle.shielded_spends().len(), bundle.shielded_outputs().len()), (1, 2));
    let mut bytes = Vec::new();
    transaction.write(&mut bytes).unwrap();
    assert!(is_accepted(&bytes, &mut rng));
    assert_eq!(faults(&bytes), []);

    let proof = *bundle.shielded_outputs()[1].zkproof();
    let place = bytes.windows(proof.len()).position(|window| window == proof).unwrap();
    // Another valid point: the proof of the other output.
    bytes[place..place + 48].copy_from_slice(&bundle.shielded_outputs()[0].zkproof()[..48]);
    assert!(!is_accepted(&bytes, &mut rng));
    let expected = ShieldedFault::OutputProof { output: 1, reason: Rejection::Mismatch };
    assert_eq!(faults(&bytes), [TransactionFault::Shielded(expected)]);
}
