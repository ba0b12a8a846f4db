// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The checks of blocks: requests to devices, and the evaluation of the answers.

use std::collections::hash_map::{Entry, HashMap};

use halimede_bls12_381::groth16::Rejection as ProofRejection;
use halimede_bls12_381::operations::ProofRequest;
use halimede_equihash::Mask as ProofMask;
use halimede_secp256k1::operations::VerifyRequest;
use halimede_secp256k1::Rejection;
use rayon::prelude::*;
use zcash_protocol::consensus::BranchId;
use zcash_transparent::bundle::{Authorized, OutPoint, TxIn, TxOut};

use crate::amounts::{amount_faults, fee};
use crate::block::{Block, BlockTransaction};
use crate::commitment::Commitment;
use crate::fault::{BlockFault, TransactionFault};
use crate::gap::Gap;
use crate::hash::Hash;
use crate::kind::Kind;
use crate::known::Known;
use crate::merkle::merkle_root;
use crate::network::branch_at;
use crate::nullifiers::repeated_nullifiers;
use crate::payments::{check_payments, CoinbaseTerms, Fees, PaymentCheck};
use crate::report::{InputReport, Report, TransactionReport};
use crate::script::ScriptCheck;
use crate::shielded::{self, ShieldedChecks, Subject};
use crate::sighash::Digests;
use crate::sigops::{signature_operations, MOST_SIGNATURE_OPERATIONS};
use crate::spent::SpentOutputs;
use crate::state::ChainState;
use crate::structure::{self, TransactionContext};
use crate::unchecked;
use crate::verdict::{InputFault, InputVerdict, NotChecked};

/// The checks of a block. Answer the [`Self::requests`] with [`Self::answer`] until no requests are
/// left: usually once. Answer the [`Self::proofs`] once with [`Self::answer_proofs`].
pub struct Checks<'b> {
    block: &'b Block,
    faults: Vec<BlockFault>,
    transactions: Vec<Transaction<'b>>,
    signature_operations: u64,
    known: Known,
    branch: Option<BranchId>,
    state: Option<&'b ChainState>,
    /// Set if unknown fees decide whether the coinbase transaction is valid.
    are_payments_open: bool,
}

struct Transaction<'b> {
    of: &'b BlockTransaction,
    faults: Vec<TransactionFault>,
    /// The fee in zatoshi, if it is known.
    fee: Option<u64>,
    digests: Digests,
    inputs: Vec<Input>,
    shielded: ShieldedChecks,
    signature_operations: u64,
}

struct Input {
    index: usize,
    kind: Option<Kind>,
    state: State,
}

enum State {
    Done(InputVerdict),
    Open(Box<ScriptCheck>),
}

/// The number of answers differs from the number of requests.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{got} answers to {expected} requests")]
pub struct AnswerError {
    /// The number of answers.
    pub got: usize,
    /// The number of requests.
    pub expected: usize,
}

/// A block with the facts that its checks may use.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'b> {
    /// The block.
    pub block: &'b Block,
    /// Outputs that it spends. Those that its own transactions create do not need to be given.
    pub spent: &'b SpentOutputs,
    /// Facts about it.
    pub known: Known,
    /// The state of the chain before it, as far as it is known.
    pub state: Option<&'b ChainState>,
}

impl Block {
    /// Prepares the checks of this block, given outputs that it spends; outputs that its
    /// transactions create do not need to be given.
    pub fn checks<'b>(&'b self, spent: &'b SpentOutputs, known: Known) -> Checks<'b> {
        let mut checks = Checks::prepare(Submission { block: self, spent, known, state: None });
        Checks::check_shielded(std::slice::from_mut(&mut checks));
        checks
    }

    /// Checks the payments of the coinbase transaction, if the rules at the height are known.
    fn check_payments(&self, height: Option<u32>, all: &[Transaction]) -> PaymentCheck {
        let terms = height.and_then(|height| CoinbaseTerms::at(self.network(), height));
        match (terms, all.split_first()) {
            (Some(terms), Some((first, others))) if first.of.is_coinbase() => {
                let fees = Fees::sum(others.iter().map(|transaction| transaction.fee));
                check_payments(first.of, &terms, fees)
            }
            _ => PaymentCheck::default(),
        }
    }

    fn branch(&self, height: Option<u32>) -> Option<BranchId> {
        let of_height =
            height.or_else(|| self.height()).and_then(|height| branch_at(self.network(), height));
        let says_branch = |transaction: &&BlockTransaction| {
            structure::says_branch(transaction.transaction().version())
        };
        let said = || self.transactions().iter().find(says_branch);
        of_height.or_else(|| Some(said()?.transaction().consensus_branch_id()))
    }

    fn faults(&self, given_height: Option<u32>) -> Vec<BlockFault> {
        let mut faults = structure::header_faults(self.header(), self.network());
        if self.transactions().is_empty() {
            faults.push(BlockFault::NoTransactions);
        }
        let computed = merkle_root(self.transactions().iter().map(BlockTransaction::txid));
        let header = Hash(self.header().merkle_root());
        if computed.root != header {
            faults.push(BlockFault::MerkleRoot { header, computed: computed.root });
        }
        if computed.ambiguous {
            faults.push(BlockFault::MerkleAmbiguous);
        }
        match (self.height(), given_height) {
            (Some(claimed), Some(given)) if claimed != given => {
                faults.push(BlockFault::Height { claimed, given });
            }
            _ => {}
        }
        faults
    }
}

impl<'b> Checks<'b> {
    /// Prepares the checks of a block. [`Self::check_shielded`] has to follow.
    pub(crate) fn prepare(submission: Submission<'b>) -> Self {
        let Submission { block, spent, mut known, state } = submission;
        if let Some(state) = state {
            known.height = known.height.or_else(|| state.height(block));
            known.history_root = known.history_root.or_else(|| state.history_root(block));
        }
        let place = TransactionContext {
            branch: known.branch.or_else(|| block.branch(known.height)),
            height: known.height.or_else(|| block.height()),
            says_height: block.height().is_some(),
            time: block.header().time(),
            network: block.network(),
        };
        let sources = Sources::new(block, spent);
        let repeated = repeated_nullifiers(block);
        let transactions = block.transactions().par_iter().enumerate();
        let transactions = transactions.map(|(index, transaction)| {
            let mut faults = structure::transaction_faults(transaction, index, &place);
            faults.extend(repeated.get(&index).into_iter().flatten().cloned());
            faults.extend(state.into_iter().flat_map(|state| state.nullifier_faults(transaction)));
            Transaction::new(transaction, faults, place.branch, sources.inputs(index))
        });
        let mut transactions: Vec<_> = transactions.collect();
        let payments = block.check_payments(place.height, &transactions);
        if let Some(first) = transactions.first_mut() {
            first.faults.extend(payments.faults);
        }
        let mut faults = block.faults(known.height);
        faults.extend(state.into_iter().flat_map(|state| state.faults(block, known.height)));
        let commitment = Commitment::of(block.network(), place.height, place.branch);
        faults.extend(block.commitment_fault(commitment, known.history_root));
        let got = transactions.iter().map(|transaction| transaction.signature_operations).sum();
        let limit = MOST_SIGNATURE_OPERATIONS;
        if got > limit {
            faults.push(BlockFault::SignatureOperations { got, limit });
        }
        let (branch, are_payments_open) = (place.branch, payments.is_open);
        Self {
            block,
            faults,
            transactions,
            signature_operations: got,
            known,
            branch,
            state,
            are_payments_open,
        }
    }

    /// Checks the shielded parts of all transactions of these blocks together.
    pub(crate) fn check_shielded(blocks: &mut [Self]) {
        let transactions = blocks.iter_mut().flat_map(|checks| {
            let branch = checks.branch;
            checks.transactions.iter_mut().map(move |transaction| (branch, transaction))
        });
        let transactions: Vec<_> = transactions.collect();
        let subject = |(branch, of): (Option<BranchId>, &mut Transaction<'b>)| Subject {
            of: of.of,
            branch,
            digest: of.digests.shielded(),
        };
        let subjects: Vec<_> = transactions.into_par_iter().map(subject).collect();
        let done = shielded::check(&subjects);
        let transactions = blocks.iter_mut().flat_map(|checks| &mut checks.transactions);
        transactions.zip(done).for_each(|(of, checks)| of.shielded = checks);
    }

    /// Returns the open requests about signatures; empty if everything is known.
    pub fn requests(&self) -> Vec<VerifyRequest> {
        let inputs = self.transactions.iter().flat_map(|transaction| &transaction.inputs);
        inputs.flat_map(|input| input.open()).collect()
    }

    /// Takes the answers to [`Self::requests`], in order. New requests may follow: the answers may
    /// lead a script to other signatures.
    ///
    /// # Errors
    /// [`AnswerError`] if the number of answers is wrong.
    pub fn answer(&mut self, answers: &[Result<(), Rejection>]) -> Result<(), AnswerError> {
        let expected = self.requests().len();
        if answers.len() != expected {
            return Err(AnswerError { got: answers.len(), expected });
        }
        let mut answers = answers.iter().copied();
        for input in self.transactions.iter_mut().flat_map(|transaction| &mut transaction.inputs) {
            if let State::Open(check) = &mut input.state {
                let count = check.open().len();
                check.answer(answers.by_ref().take(count));
            }
        }
        self.transactions.par_iter_mut().for_each(Transaction::advance);
        Ok(())
    }

    /// The checks of the shielded parts of the transactions.
    pub(crate) fn shielded(&mut self) -> impl Iterator<Item = &mut ShieldedChecks> + use<'_, 'b> {
        self.transactions.iter_mut().map(|transaction| &mut transaction.shielded)
    }

    /// Returns the open requests about Groth16 proofs: of JoinSplits, Sapling spends and outputs.
    pub fn proofs(&self) -> Vec<ProofRequest> {
        self.transactions.iter().flat_map(|of| of.shielded.requests()).cloned().collect()
    }

    /// Takes the answers to [`Self::proofs`], in order.
    ///
    /// # Errors
    /// [`AnswerError`] if the number of answers is wrong.
    pub fn answer_proofs(
        &mut self,
        answers: &[Result<(), ProofRejection>],
    ) -> Result<(), AnswerError> {
        let counts = self.transactions.iter().map(|of| of.shielded.requests().count());
        let (got, expected) = (answers.len(), counts.sum());
        if got != expected {
            return Err(AnswerError { got, expected });
        }
        let mut answers = answers.iter().cloned();
        for transaction in &mut self.transactions {
            let count = transaction.shielded.requests().count();
            transaction.shielded.answer(answers.by_ref().take(count));
        }
        Ok(())
    }

    /// Returns the verdicts, given a device's result for the proof of work; inputs and proofs with
    /// unanswered requests are incomplete.
    pub fn report(self, proof_of_work: ProofMask) -> Report {
        let Self { block, faults, signature_operations, known, branch, .. } = self;
        let mut transactions: Vec<_> =
            self.transactions.into_iter().map(Transaction::report).collect();
        let unchecked = unchecked::of_block(block, known, branch, &transactions);
        if let Some(first) = transactions.first_mut().filter(|_| self.are_payments_open) {
            // The fees that others pay: the block counts their inputs only once.
            let unknown = unchecked.iter().filter(|of| of.gap == Gap::SpentOutputs).copied();
            first.unchecked.splice(0..0, unknown);
        }
        let needs_chain_state = unchecked::needs_chain_state(block, self.state, known.height);
        Report {
            proof_of_work,
            faults,
            transactions,
            signature_operations,
            unchecked,
            needs_chain_state,
        }
    }

    /// The block.
    pub fn block(&self) -> &'b Block {
        self.block
    }
}

impl<'b> Transaction<'b> {
    fn new(
        of: &'b BlockTransaction,
        mut faults: Vec<TransactionFault>,
        branch: Option<BranchId>,
        mut sources: Vec<Source>,
    ) -> Self {
        if faults.iter().any(|fault| matches!(fault, TransactionFault::TooLong { .. })) {
            // Hashing for all its inputs would take time quadratic in its size.
            sources.fill_with(|| Err(InputVerdict::Incomplete(NotChecked::TooLong)));
        }
        let spent: Vec<_> = sources.iter().map(|source| source.as_ref().ok().cloned()).collect();
        faults.extend(amount_faults(of, &spent));
        let fee = fee(of, &spent);
        let signature_operations = signature_operations(of, &spent);
        let digests = Digests::new(of, branch, spent);
        let data = of.transaction();
        let inputs = data.transparent_bundle().map_or(&[][..], |bundle| &bundle.vin);
        let pairs: Vec<_> = inputs.iter().zip(sources).enumerate().collect();
        let inputs = pairs.into_par_iter().map(|(index, (input, source))| {
            Input::new(index, input, source, data.lock_time(), &digests)
        });
        let inputs = if of.is_coinbase() { Vec::new() } else { inputs.collect() };
        let shielded = ShieldedChecks::default();
        Self { of, faults, fee, digests, inputs, shielded, signature_operations }
    }

    fn advance(&mut self) {
        let digests = &self.digests;
        self.inputs.par_iter_mut().for_each(|input| input.advance(digests));
    }

    fn report(self) -> TransactionReport {
        let inputs: Vec<_> = self.inputs.into_iter().map(Input::report).collect();
        let unchecked = unchecked::of_transaction(self.of, &inputs, &self.shielded);
        let mut faults = self.faults;
        faults.extend(self.shielded.faults().into_iter().map(TransactionFault::Shielded));
        TransactionReport { txid: self.of.txid(), faults, inputs, unchecked }
    }
}

impl Input {
    fn new(
        index: usize,
        input: &TxIn<Authorized>,
        source: Source,
        lock_time: u32,
        digests: &Digests,
    ) -> Self {
        let done = |verdict| Self { index, kind: None, state: State::Done(verdict) };
        let spent = match source {
            Ok(spent) => spent,
            Err(verdict) => return done(verdict),
        };
        let (script, spent) = (&input.script_sig().0, &spent.script_pubkey().0);
        let check = ScriptCheck::new(script, input.sequence(), lock_time, spent);
        let kind = Some(Kind::of(spent, script));
        let mut this = Self { index, kind, state: State::Open(Box::new(check)) };
        this.advance(digests);
        this
    }

    fn open(&self) -> Vec<VerifyRequest> {
        match &self.state {
            State::Open(check) => check.open(),
            State::Done(_) => Vec::new(),
        }
    }

    fn advance(&mut self, digests: &Digests) {
        let State::Open(check) = &self.state else { return };
        let index = self.index;
        let verdict = check.verdict(&|code, hash_type| digests.digest(index, code, hash_type));
        if let Some(verdict) = verdict {
            self.state = State::Done(verdict);
        }
    }

    fn report(self) -> InputReport {
        let verdict = match self.state {
            State::Done(verdict) => verdict,
            State::Open(_) => InputVerdict::Incomplete(NotChecked::Unanswered),
        };
        InputReport { kind: self.kind, verdict }
    }
}

/// The transaction of the genesis block, which is the same on the main and the test network.
const GENESIS_COINBASE: Hash = Hash([
    0xdb, 0x4d, 0x7a, 0x85, 0xb7, 0x68, 0x12, 0x3f, 0x1d, 0xff, 0x1d, 0x4c, 0x4c, 0xec, 0xe7, 0x00,
    0x83, 0xb2, 0xd2, 0x7e, 0x11, 0x7b, 0x4a, 0xc2, 0xe3, 0x1d, 0x08, 0x79, 0x88, 0xa5, 0xea, 0xc4,
]);

/// The output that an input spends, or the verdict without it.
type Source = Result<TxOut, InputVerdict>;

/// The sources of outputs: earlier blocks and this one.
struct Sources<'b> {
    block: &'b Block,
    given: &'b SpentOutputs,
    made: HashMap<Hash, usize>,
    first_spent: HashMap<&'b OutPoint, (usize, usize)>,
}

impl<'b> Sources<'b> {
    fn new(block: &'b Block, given: &'b SpentOutputs) -> Self {
        let mut made = HashMap::new();
        let mut first_spent = HashMap::new();
        for (index, transaction) in block.transactions().iter().enumerate() {
            made.entry(transaction.txid()).or_insert(index);
            for (number, input) in inputs_of(transaction).iter().enumerate() {
                if let Entry::Vacant(entry) = first_spent.entry(input.prevout()) {
                    entry.insert((index, number));
                }
            }
        }
        Self { block, given, made, first_spent }
    }

    /// Returns the source of each input of this transaction.
    fn inputs(&self, transaction: usize) -> Vec<Source> {
        let inputs = inputs_of(&self.block.transactions()[transaction]);
        let source = |(number, input): (usize, &TxIn<Authorized>)| {
            self.source(transaction, number, input.prevout())
        };
        inputs.iter().enumerate().map(source).collect()
    }

    fn source(&self, transaction: usize, number: usize, point: &OutPoint) -> Source {
        let invalid = |fault| Err(InputVerdict::Invalid(fault));
        if *point == OutPoint::NULL {
            return invalid(InputFault::Null);
        }
        let (txid, vout) = (Hash(*point.hash()), point.n());
        if txid == GENESIS_COINBASE && self.block.height() != Some(0) {
            return invalid(InputFault::Genesis);
        }
        match self.first_spent.get(point) {
            Some(&(by, input)) if (by, input) != (transaction, number) => {
                return invalid(InputFault::SpentTwice { txid, vout, by, input });
            }
            _ => {}
        }
        let Some(&by) = self.made.get(&txid) else {
            let unknown = NotChecked::SpentOutputUnknown { input: number };
            return self.given.get(point).cloned().ok_or(InputVerdict::Incomplete(unknown));
        };
        if by >= transaction {
            return invalid(InputFault::NotYetMade { by });
        }
        if self.block.transactions()[by].is_coinbase() {
            return invalid(InputFault::Immature);
        }
        let bundle = self.block.transactions()[by].transaction().transparent_bundle();
        let outputs = bundle.map_or(&[][..], |bundle| &bundle.vout);
        let output = usize::try_from(vout).ok().and_then(|vout| outputs.get(vout));
        match output {
            Some(output) => Ok(output.clone()),
            None => invalid(InputFault::NoSuchOutput { vout, by, outputs: outputs.len() }),
        }
    }
}

fn inputs_of(transaction: &BlockTransaction) -> &[TxIn<Authorized>] {
    transaction.transaction().transparent_bundle().map_or(&[], |bundle| &bundle.vin)
}
