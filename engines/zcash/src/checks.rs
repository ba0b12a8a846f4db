// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block's checks: questions for devices, and what their answers come to.

use std::collections::hash_map::{Entry, HashMap};

use halimede_equihash::Mask as ProofMask;
use halimede_secp256k1::operations::VerifyRequest;
use halimede_secp256k1::Rejection;
use rayon::prelude::*;
use zcash_protocol::consensus::BranchId;
use zcash_transparent::bundle::{Authorized, OutPoint, TxIn, TxOut};

use crate::amounts::amount_faults;
use crate::block::{Block, BlockTransaction};
use crate::hash::Hash;
use crate::kind::Kind;
use crate::merkle::merkle_root;
use crate::network::branch_at;
use crate::report::{BlockFault, InputReport, Report, TransactionFault, TransactionReport};
use crate::script::ScriptCheck;
use crate::sighash::Digests;
use crate::sigops::{signature_operations, MOST_SIGNATURE_OPERATIONS};
use crate::spent::SpentOutputs;
use crate::structure::{self, Place};
use crate::verdict::{InputFault, InputVerdict, NotChecked};

/// Facts about a block besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// Its height; where absent, the one that it claims.
    pub height: Option<u32>,
    /// The rules in force; where absent, those of the height, or on a network whose heights do not
    /// tell, those that a transaction of version 5 is made for.
    pub branch: Option<BranchId>,
}

/// A block's checks. Answer [`Self::requests`] by [`Self::answer`] until there are none: usually
/// once.
pub struct Checks<'b> {
    block: &'b Block,
    faults: Vec<BlockFault>,
    transactions: Vec<Transaction<'b>>,
    signature_operations: u64,
}

struct Transaction<'b> {
    of: &'b BlockTransaction,
    faults: Vec<TransactionFault>,
    digests: Digests,
    inputs: Vec<Input>,
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

/// Another number of answers than of questions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{got} answers to {expected} questions")]
pub struct AnswerError {
    /// Answers.
    pub got: usize,
    /// Questions.
    pub expected: usize,
}

impl Block {
    /// What has to be checked of this block, given outputs that it spends; those that its own
    /// transactions make need not be given.
    pub fn checks(&self, spent: &SpentOutputs, known: Known) -> Checks<'_> {
        let place = Place {
            branch: known.branch.or_else(|| self.branch(known.height)),
            height: known.height.or_else(|| self.height()),
            says_height: self.height().is_some(),
            time: self.header().time(),
        };
        let sources = Sources::new(self, spent);
        let transactions = self.transactions().par_iter().enumerate();
        let transactions = transactions.map(|(index, transaction)| {
            let faults = structure::transaction_faults(transaction, index, &place);
            Transaction::new(transaction, faults, place.branch, sources.inputs(index))
        });
        let transactions: Vec<_> = transactions.collect();
        let mut faults = self.faults(known.height);
        let got = transactions.iter().map(|transaction| transaction.signature_operations).sum();
        let limit = MOST_SIGNATURE_OPERATIONS;
        if got > limit {
            faults.push(BlockFault::SignatureOperations { got, limit });
        }
        Checks { block: self, faults, transactions, signature_operations: got }
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

impl Checks<'_> {
    /// What is asked of a device about signatures; nothing where all is known.
    pub fn requests(&self) -> Vec<VerifyRequest> {
        let inputs = self.transactions.iter().flat_map(|transaction| &transaction.inputs);
        inputs.flat_map(|input| input.open()).collect()
    }

    /// Takes the answers to [`Self::requests`], in their order. Afterwards there may be others: a
    /// script asks what the answers lead it to.
    ///
    /// # Errors
    /// [`AnswerError`] where these are fewer or more.
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

    /// The verdicts, with what a device says of the proof of work; inputs whose questions have no
    /// answers are not checked.
    pub fn report(self, proof_of_work: ProofMask) -> Report {
        let Self { faults, signature_operations, .. } = self;
        let transactions = self.transactions.into_iter().map(Transaction::report).collect();
        Report { proof_of_work, faults, transactions, signature_operations }
    }

    /// The block.
    pub fn block(&self) -> &Block {
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
            // To sign all its inputs would take a time that grows with the square of its bytes.
            sources.fill_with(|| Err(InputVerdict::NotChecked(NotChecked::TooLong)));
        }
        let spent: Vec<_> = sources.iter().map(|source| source.as_ref().ok().cloned()).collect();
        faults.extend(amount_faults(of, &spent));
        let signature_operations = signature_operations(of, &spent);
        let digests = Digests::new(of, branch, spent);
        let data = of.transaction();
        let inputs = data.transparent_bundle().map_or(&[][..], |bundle| &bundle.vin);
        let pairs: Vec<_> = inputs.iter().zip(sources).enumerate().collect();
        let inputs = pairs.into_par_iter().map(|(index, (input, source))| {
            Input::new(index, input, source, data.lock_time(), &digests)
        });
        let inputs = if of.is_coinbase() { Vec::new() } else { inputs.collect() };
        Self { of, faults, digests, inputs, signature_operations }
    }

    fn advance(&mut self) {
        let digests = &self.digests;
        self.inputs.par_iter_mut().for_each(|input| input.advance(digests));
    }

    fn report(self) -> TransactionReport {
        let inputs = self.inputs.into_iter().map(Input::report).collect();
        TransactionReport { txid: self.of.txid(), faults: self.faults, inputs }
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
            State::Open(_) => InputVerdict::NotChecked(NotChecked::Unanswered),
        };
        InputReport { kind: self.kind, verdict }
    }
}

/// The output that an input spends, or what is to be said without it.
type Source = Result<TxOut, InputVerdict>;

/// Where outputs come from: earlier blocks and this one.
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

    /// For each input of this transaction.
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
        match self.first_spent.get(point) {
            Some(&(by, input)) if (by, input) != (transaction, number) => {
                return invalid(InputFault::SpentTwice { txid, vout, by, input });
            }
            _ => {}
        }
        let Some(&by) = self.made.get(&txid) else {
            let unknown = NotChecked::SpentOutputUnknown { input: number };
            return self.given.get(point).cloned().ok_or(InputVerdict::NotChecked(unknown));
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
