// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signed transactions, blocks of them, and answers computed on the processor.
#![allow(dead_code)] // each test uses only some items

pub mod real;
pub mod regtest;
pub mod sign;

use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_equihash::Mask as ProofMask;
use halimede_secp256k1::operations::VerifyRequest;
use halimede_secp256k1::{verdict, Check, Mask};
use halimede_zcash::{
    merkle_root, Block, BlockTransaction, BranchId, CoinbaseTerms, Hash, InputReport, InputVerdict,
    Known, Network, Report, SpentOutputs, VerifyProof,
};
use rand::Rng;
use secp256k1::{ecdsa, Message, PublicKey};
use zcash_protocol::value::Zatoshis;
use zcash_script::script::Code;
use zcash_transparent::address::Script;
use zcash_transparent::bundle::TxOut;

/// Branches, a height of the main network in each, and the valid transaction versions.
pub const ERAS: [(BranchId, u32, &[u32]); 12] = [
    (BranchId::Sprout, 120_000, &[1, 2]),
    (BranchId::Overwinter, 350_000, &[3]),
    (BranchId::Sapling, 500_000, &[4]),
    (BranchId::Blossom, 700_000, &[4]),
    (BranchId::Heartwood, 1_000_000, &[4]),
    (BranchId::Canopy, 1_500_000, &[4]),
    (BranchId::Nu5, 1_700_000, &[4, 5]),
    (BranchId::Nu6, 2_800_000, &[4, 5]),
    (BranchId::Nu6_1, 3_200_000, &[4, 5]),
    (BranchId::Nu6_2, 3_400_000, &[4, 5]),
    (BranchId::Nu6_3, 3_500_000, &[4, 5, 6]),
    (BranchId::Nu7, 3_600_000, &[5, 6]),
];

/// An unsigned transaction, with the outputs that it spends and their outpoints.
#[derive(Clone)]
pub struct Draft {
    pub version: u32,
    pub branch: BranchId,
    pub lock_time: u32,
    pub expiry: u32,
    pub inputs: Vec<DraftInput>,
    pub outputs: Vec<(u64, Vec<u8>)>,
}

#[derive(Clone)]
pub struct DraftInput {
    pub txid: Hash,
    pub vout: u32,
    pub sequence: u32,
    pub value: u64,
    pub script: Vec<u8>,
}

impl DraftInput {
    pub fn output(&self) -> TxOut {
        let value = Zatoshis::from_u64(self.value).unwrap();
        TxOut::new(value, Script(Code(self.script.clone())))
    }
}

impl Draft {
    /// Serializes the transaction with these scripts for its inputs (Zcash protocol specification,
    /// section 7.1).
    pub fn bytes(&self, scripts: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = version_bytes(self.version);
        if self.version >= 5 {
            bytes.extend(u32::from(self.branch).to_le_bytes());
            bytes.extend(self.lock_time.to_le_bytes());
            bytes.extend(self.expiry.to_le_bytes());
        }
        push_size(&mut bytes, self.inputs.len());
        for (input, script) in self.inputs.iter().zip(scripts) {
            bytes.extend(input.txid.0);
            bytes.extend(input.vout.to_le_bytes());
            push_bytes(&mut bytes, script);
            bytes.extend(input.sequence.to_le_bytes());
        }
        push_size(&mut bytes, self.outputs.len());
        for (value, script) in &self.outputs {
            bytes.extend(value.to_le_bytes());
            push_bytes(&mut bytes, script);
        }
        if self.version < 5 {
            bytes.extend(self.lock_time.to_le_bytes());
        }
        if matches!(self.version, 3 | 4) {
            bytes.extend(self.expiry.to_le_bytes());
        }
        // Value balance, and the counts of shielded parts: all zero.
        let shielded: usize = match self.version {
            1 => 0,
            2 | 3 => 1,
            4 => 8 + 3,
            5 => 3,
            _ => 4,
        };
        bytes.extend(vec![0; shielded]);
        bytes
    }

    /// The fee; 0 if the outputs exceed the inputs.
    pub fn fee(&self) -> u64 {
        let inputs: u64 = self.inputs.iter().map(|input| input.value).sum();
        inputs.saturating_sub(self.outputs.iter().map(|(value, _)| value).sum())
    }

    /// The spent outputs of the inputs that `known` selects.
    pub fn spent(&self, known: impl Fn(usize) -> bool) -> SpentOutputs {
        let mut spent = SpentOutputs::default();
        for (_, input) in self.inputs.iter().enumerate().filter(|(index, _)| known(*index)) {
            spent.insert(input.txid, input.vout, input.value, input.script.clone()).unwrap();
        }
        spent
    }
}

/// Returns the start of a transaction: version and group.
pub fn version_bytes(version: u32) -> Vec<u8> {
    let group: u32 = match version {
        1 | 2 => return version.to_le_bytes().to_vec(),
        3 => 0x03c4_8270,
        4 => 0x892f_2085,
        5 => 0x26a7_270a,
        6 => 0xd884_b698,
        other => panic!("version {other}"),
    };
    [(1 << 31 | version).to_le_bytes(), group.to_le_bytes()].concat()
}

pub fn push_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    push_size(to, bytes.len());
    to.extend(bytes);
}

pub fn push_size(to: &mut Vec<u8>, size: usize) {
    match u16::try_from(size).unwrap() {
        small @ 0..=0xfc => to.push(small as u8),
        large => {
            to.push(0xfd);
            to.extend(large.to_le_bytes());
        }
    }
}

/// The outputs of a coinbase transaction that pays out the subsidy and, if it must, these fees: the
/// miner's first, and then the required ones. A fixed output if the payments are not known.
pub fn payments(network: Network, height: u32, fees: u64) -> Vec<(u64, Vec<u8>)> {
    let miner = |value| (value, vec![0x51]);
    let Some(terms) = CoinbaseTerms::at(network, height) else {
        return vec![miner(1_250_000_000)];
    };
    let required = terms.required.iter().map(|payment| (payment.value, payment.script()));
    let required: Vec<_> = required.collect();
    let others: u64 = required.iter().map(|(value, _)| value).sum();
    let fees = if terms.is_exact { fees } else { 0 };
    let rest = terms.subsidy + terms.disbursed + fees - terms.deferred - others;
    [miner(rest)].into_iter().chain(required).collect()
}

/// The draft of the first transaction of a block of the main network at this height, which spends
/// nothing and pays out the subsidy.
pub fn coinbase_draft(branch: BranchId, version: u32, height: u32) -> Draft {
    let input = DraftInput {
        txid: Hash::default(),
        vout: u32::MAX,
        sequence: u32::MAX,
        value: 0,
        script: Vec::new(),
    };
    let outputs = payments(Network::Main, height, 0);
    Draft { version, branch, lock_time: 0, expiry: height, inputs: vec![input], outputs }
}

/// The script that claims this height, which must exceed 32,767, with one extra byte.
pub fn height_script(height: u32) -> Vec<u8> {
    let digits = height.to_le_bytes();
    [&[3], &digits[..3], &[0]].concat()
}

/// The first transaction of a block at this height.
pub fn coinbase(branch: BranchId, version: u32, height: u32) -> Vec<u8> {
    coinbase_draft(branch, version, height).bytes(&[height_script(height)])
}

/// The time of blocks: all lock times that are times, except the last, have passed.
pub const TIME: u32 = u32::MAX;

/// A made-up root of the chain's history, to which blocks from NU5 on commit.
pub const HISTORY_ROOT: Hash = Hash([7; 32]);
/// The position of the commitment in a header.
pub const COMMITMENT_AT: usize = 68;

/// A block of these transactions, with an invalid solution. The header has the commitment of NU5,
/// unless the block is too long.
pub fn block_bytes(network: Network, transactions: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = uncommitted(network, transactions);
    if let Ok(block) = Block::parse(&bytes, network) {
        let commitment = block.commitment(HISTORY_ROOT).0;
        bytes[COMMITMENT_AT..COMMITMENT_AT + 32].copy_from_slice(&commitment);
    }
    bytes
}

fn uncommitted(network: Network, transactions: &[Vec<u8>]) -> Vec<u8> {
    let parsed = transactions.iter().map(|bytes| BlockTransaction::parse(bytes).unwrap());
    let root = merkle_root(parsed.map(|transaction| transaction.txid())).root;
    let mut bytes = 4u32.to_le_bytes().to_vec();
    bytes.extend([0x35; 32]);
    bytes.extend(root.0);
    bytes.extend([0; 32]); // commitment
    bytes.extend(TIME.to_le_bytes());
    bytes.extend(0x1d03_c3bfu32.to_le_bytes());
    bytes.extend([9; 32]);
    let solution: Vec<u8> = (0..network.params().solution_bytes()).map(|at| at as u8).collect();
    push_bytes(&mut bytes, &solution);
    push_size(&mut bytes, transactions.len());
    transactions.iter().for_each(|transaction| bytes.extend(transaction));
    bytes
}

/// A block of the main network at this height, whose transactions pay no fees.
pub fn main_block(branch: BranchId, height: u32, transactions: &[Vec<u8>]) -> Block {
    main_block_with_fees(branch, height, 0, transactions)
}

/// A block of the main network at this height, whose transactions pay these fees.
pub fn main_block_with_fees(
    branch: BranchId,
    height: u32,
    fees: u64,
    transactions: &[Vec<u8>],
) -> Block {
    let version = if branch == BranchId::Sprout { 1 } else { suggested(branch) };
    let first = coinbase_draft(branch, version, height);
    let outputs = payments(Network::Main, height, fees);
    let first = Draft { outputs, ..first }.bytes(&[height_script(height)]);
    let all: Vec<_> = [first].into_iter().chain(transactions.to_vec()).collect();
    Block::parse(&block_bytes(Network::Main, &all), Network::Main).unwrap()
}

fn suggested(branch: BranchId) -> u32 {
    let (_, _, versions) = ERAS.iter().find(|(era, ..)| *era == branch).unwrap();
    *versions.last().unwrap()
}

/// A device that computes everything here.
pub struct Here;

impl<Op: Compute> Execute<Op> for Here {
    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        Ok(Answered { replies: Op::compute_batch(batch), timing: Timing::default() })
    }
}

/// Returns the report on a block, with signatures and proofs verified here, and the number of
/// rounds.
pub fn report(block: &Block, spent: &SpentOutputs, known: Known) -> (Report, usize) {
    let mut checks = block.checks(spent, known);
    let proofs = checks.proofs();
    checks.answer_proofs(&VerifyProof::compute_batch(&proofs)).unwrap();
    let mut rounds = 0;
    loop {
        let requests = checks.requests();
        if requests.is_empty() {
            return (checks.report(ProofMask::VALID), rounds);
        }
        rounds += 1;
        let answers: Vec<_> = requests.iter().map(|request| verdict(answer(request))).collect();
        checks.answer(&answers).unwrap();
    }
}

/// The reports on the inputs of a transaction, which is alone in a block after the coinbase
/// transaction.
pub fn verdicts(draft: &Draft, scripts: &[Vec<u8>], spent: &SpentOutputs) -> Vec<InputReport> {
    let (_, height, _) = ERAS.iter().find(|(era, ..)| *era == draft.branch).unwrap();
    let block = main_block_with_fees(draft.branch, *height, draft.fee(), &[draft.bytes(scripts)]);
    let (report, _) = report(&block, spent, Known::default());
    assert_eq!((&report.faults[..], &report.transactions[0].faults[..]), (&[][..], &[][..]));
    assert_eq!(report.transactions[1].faults, []);
    report.transactions[1].inputs.clone()
}

/// Returns `true` if all inputs are valid.
pub fn all_valid(reports: &[InputReport]) -> bool {
    reports.iter().all(|report| report.verdict == InputVerdict::Valid)
}

/// Returns the result of libsecp256k1.
pub fn answer(request: &VerifyRequest) -> Mask {
    let mut mask = Mask::VALID;
    let numbers = [request.r, request.s].concat();
    let Ok(mut signature) = ecdsa::Signature::from_compact(&numbers) else {
        mask.set(Check::RRange);
        return mask;
    };
    signature.normalize_s();
    let key = [&[4], &request.x[..], &request.y[..]].concat();
    let key = PublicKey::from_slice(&key).unwrap();
    if ecdsa::verify(&signature, Message::from_digest(request.digest), &key).is_err() {
        mask.set(Check::Match);
    }
    mask
}

/// A transaction of version 2 with a JoinSplit that takes `taken` from transparent inputs.
pub fn with_join_split(
    draft: &Draft,
    scripts: &[Vec<u8>],
    taken: u64,
    random: &mut impl Rng,
) -> Vec<u8> {
    let mut bytes = draft.bytes(scripts);
    assert_eq!(bytes.pop(), Some(0)); // the number of JoinSplits
    bytes.push(1);
    bytes.extend(taken.to_le_bytes());
    bytes.extend([0; 8]);
    // The first byte of a proof selects one of two points.
    let rest = 32 + 64 + 64 + 32 + 32 + 64 + 296 + 1_202;
    bytes.extend((0..rest + 32 + 64).map(|_| random.gen::<u8>()));
    bytes
}
