// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Payments of coinbase transactions at the boundaries of their periods: each changed payment is
//! invalid, with its reason.

use crate::common::{block_bytes, payments, report, Draft, DraftInput, HISTORY_ROOT};
use halimede_zcash::{
    Block, BlockTransaction, BranchId, CoinbaseTerms, Gap, Hash, Known, Network, PaymentKind,
    Report, SpentOutputs, TransactionFault, Unchecked, Verdict,
};
use serde::Deserialize;

type Outputs = Vec<(u64, Vec<u8>)>;

/// The fee of the second transaction of blocks that have one, in zatoshi.
const FEE: u64 = 1_003;

/// Pushes the height in its shortest form, with one extra byte.
fn height_script(height: u32) -> Vec<u8> {
    if height <= 16 {
        return vec![0x50 + height as u8, 0];
    }
    let mut digits = height.to_le_bytes().to_vec();
    while digits.last() == Some(&0) {
        digits.pop();
    }
    if digits.last().is_some_and(|top| *top >= 0x80) {
        digits.push(0);
    }
    [&[digits.len() as u8], &digits[..], &[0]].concat()
}

/// A transaction version that is valid at the height.
fn version(network: Network, height: u32) -> u32 {
    let [overwinter, sapling] =
        if network == Network::Test { [207_500, 280_000] } else { [347_500, 419_200] };
    match height {
        height if height >= sapling => 4,
        height if height >= overwinter => 3,
        _ => 1,
    }
}

fn draft(network: Network, height: u32, input: DraftInput, outputs: Outputs) -> Draft {
    let version = version(network, height);
    let branch = BranchId::Sprout; // not written in these versions
    Draft { version, branch, lock_time: 0, expiry: height, inputs: vec![input], outputs }
}

/// The report on a block whose coinbase transaction has these outputs, and which has a second
/// transaction if `spent_is_known` is given.
fn report_on(
    network: Network,
    height: u32,
    outputs: &Outputs,
    spent_is_known: Option<bool>,
) -> Report {
    let nothing = DraftInput {
        txid: Hash::default(),
        vout: u32::MAX,
        sequence: u32::MAX,
        value: 0,
        script: vec![],
    };
    let input = DraftInput { txid: Hash([7; 32]), vout: 2, value: 50_000, ..nothing.clone() };
    let input = DraftInput { script: vec![0x51], ..input };
    let first = draft(network, height, nothing, outputs.clone());
    let mut all = vec![first.bytes(&[height_script(height)])];
    let mut spent = SpentOutputs::default();
    if let Some(is_known) = spent_is_known {
        let second = draft(network, height, input, vec![(50_000 - FEE, vec![0x51])]);
        all.push(second.bytes(&[vec![]]));
        spent = second.spent(|_| is_known);
    }
    let block = Block::parse(&block_bytes(network, &all), network).unwrap();
    assert_eq!(block.height(), Some(height));
    let nu5 = if network == Network::Test { 1_842_420 } else { 1_687_104 };
    let history_root = (height >= nu5).then_some(HISTORY_ROOT);
    let known = Known { height: Some(height), history_root, branch: None };
    let (report, _) = report(&block, &spent, known);
    assert_eq!(report.faults, []);
    report
}

/// The faults of a coinbase transaction with these outputs in a block without other transactions.
fn faults(network: Network, height: u32, outputs: &Outputs) -> Vec<TransactionFault> {
    report_on(network, height, outputs, None).transactions[0].faults.clone()
}

fn terms(network: Network, height: u32) -> CoinbaseTerms {
    CoinbaseTerms::at(network, height).unwrap()
}

/// Checks that each change of a required output is a fault of this section. The total stays as it
/// is: the miner's output, which comes first, makes up for the change.
fn each_change_is_a_fault(network: Network, height: u32, section: &str) {
    let place = format!("{} {height}", network.name());
    let good = payments(network, height, 0);
    assert_eq!(faults(network, height, &good), [], "{place}");
    let reversed: Outputs = good.iter().rev().cloned().collect();
    assert_eq!(faults(network, height, &reversed), [], "{place}");
    for (number, payment) in terms(network, height).required.iter().enumerate() {
        let (kind, address, expected) = (payment.kind, payment.address(), payment.value);
        let fault = |got| TransactionFault::Payment { kind, address, expected, got };
        assert_eq!(fault(None).section(), section);
        let index = number + 1;
        assert_eq!(good[index], (expected, payment.script()));
        let mut more = good.clone();
        (more[index].0, more[0].0) = (expected + 1, good[0].0 - 1);
        assert_eq!(faults(network, height, &more), [fault(Some(expected + 1))], "{place}");
        let mut less = good.clone();
        (less[index].0, less[0].0) = (expected - 1, good[0].0 + 1);
        assert_eq!(faults(network, height, &less), [fault(Some(expected - 1))], "{place}");
        for at in [0, 2, 11, 21, 22] {
            let mut other = good.clone();
            other[index].1[at] ^= 0x10;
            assert_eq!(faults(network, height, &other), [fault(None)], "{place}");
        }
        let mut longer = good.clone();
        longer[index].1.push(0x61);
        assert_eq!(faults(network, height, &longer), [fault(None)], "{place}");
        let mut removed = good.clone();
        removed.remove(index);
        removed[0].0 += expected;
        assert_eq!(faults(network, height, &removed), [fault(None)], "{place}");
        // Other outputs to the address are allowed.
        let mut twice = good.clone();
        twice.push((1, payment.script()));
        twice[0].0 -= 1;
        assert_eq!(faults(network, height, &twice), [], "{place}");
    }
}

#[test]
fn founders_are_paid_until_canopy() {
    let founders = |network, height| {
        let required = terms(network, height).required;
        let of_founders = required.iter().filter(|one| one.kind == PaymentKind::FoundersReward);
        of_founders.map(|one| (one.value, one.address())).next()
    };
    for (network, height) in [
        (Network::Main, 1),
        (Network::Main, 17_708),
        (Network::Main, 17_709),
        (Network::Main, 653_599),
        (Network::Main, 653_600),
        (Network::Main, 1_046_399),
        (Network::Test, 1),
        (Network::Test, 583_999),
        (Network::Test, 584_000),
        (Network::Test, 1_028_499),
    ] {
        each_change_is_a_fault(network, height, "7.9");
        assert_eq!(terms(network, height).required.len(), 1);
    }
    let first = "t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd";
    assert_eq!(founders(Network::Main, 1), Some((12_500, first)));
    let second = "t3cL9AucCajm3HXDhb5jBnJK2vapVoXsop3";
    assert_eq!(founders(Network::Main, 17_709), Some((221_375_000, second)));
    let last = "t3Pcm737EsVkGTbhsu2NekKtJeG92mvYyoN";
    assert_eq!(founders(Network::Main, 1_046_399), Some((125_000_000, last)));
    assert_eq!(founders(Network::Main, 1_046_400), None);
    assert_eq!(founders(Network::Test, 1_028_500), None);

    // The address of the neighboring period, before and after Blossom.
    for (last, next) in [(35_417, 35_418), (656_865, 656_866)] {
        for (height, other) in [(last, next), (next, last)] {
            let mut outputs = payments(Network::Main, height, 0);
            outputs[1].1 = payments(Network::Main, other, 0)[1].1.clone();
            let required = terms(Network::Main, height).required[0];
            let fault = TransactionFault::Payment {
                kind: PaymentKind::FoundersReward,
                address: required.address(),
                expected: required.value,
                got: None,
            };
            assert_eq!(faults(Network::Main, height, &outputs), [fault], "{height}");
        }
    }
    let mut outputs = payments(Network::Main, 1, 0);
    outputs[1].0 -= 1;
    let message = "no output pays 12500 zatoshi to t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd, the \
                   founders' reward: another one pays it 12499";
    assert_eq!(faults(Network::Main, 1, &outputs)[0].to_string(), message);
}

#[test]
fn each_funding_stream_is_paid_by_an_output_of_its_own() {
    let values = |network, height| -> Vec<u64> {
        terms(network, height).required.iter().map(|payment| payment.value).collect()
    };
    let (of_canopy, twice) =
        ([21_875_000, 15_625_000, 25_000_000], [43_750_000, 31_250_000, 50_000_000]);
    for (network, height, expected, deferred) in [
        (Network::Main, 1_046_400, &of_canopy[..], 0),
        (Network::Main, 1_081_399, &of_canopy, 0),
        (Network::Main, 1_081_400, &of_canopy, 0),
        (Network::Main, 2_726_399, &of_canopy, 0),
        (Network::Main, 2_726_400, &[12_500_000], 18_750_000),
        (Network::Main, 3_146_399, &[12_500_000], 18_750_000),
        (Network::Main, 3_146_401, &[12_500_000], 18_750_000),
        (Network::Main, 3_543_404, &[12_500_000], 18_750_000),
        (Network::Test, 1_028_500, &twice, 0),
        (Network::Test, 1_115_999, &twice, 0),
        (Network::Test, 1_116_000, &of_canopy, 0),
        (Network::Test, 2_795_999, &of_canopy, 0),
        (Network::Test, 2_796_000, &[], 0),
        (Network::Test, 2_975_999, &[], 0),
        (Network::Test, 2_976_000, &[12_500_000], 18_750_000),
        (Network::Test, 3_395_999, &[12_500_000], 18_750_000),
        (Network::Test, 3_396_000, &[], 0),
        (Network::Test, 3_536_499, &[], 0),
        (Network::Test, 3_536_501, &[12_500_000], 18_750_000),
        (Network::Test, 4_465_025, &[12_500_000], 18_750_000),
    ] {
        assert_eq!(values(network, height), expected, "{} {height}", network.name());
        assert_eq!(terms(network, height).deferred, deferred, "{} {height}", network.name());
        each_change_is_a_fault(network, height, "7.10");
    }
    let fault = |network, height, number: usize, got| {
        let required = terms(network, height).required[number];
        let (kind, address, expected) = (required.kind, required.address(), required.value);
        TransactionFault::Payment { kind, address, expected, got }
    };

    // Two streams that one output pays.
    let height = 1_046_400;
    let mut outputs = payments(Network::Main, height, 0);
    let (second, _) = outputs.remove(2);
    outputs[1].0 += second;
    let sum = outputs[1].0;
    let expected =
        [fault(Network::Main, height, 0, Some(sum)), fault(Network::Main, height, 1, None)];
    assert_eq!(faults(Network::Main, height, &outputs), expected);

    // The address of the neighboring period.
    for (height, other) in [(1_081_399, 1_081_400), (1_081_400, 1_081_399)] {
        let mut outputs = payments(Network::Main, height, 0);
        outputs[1].1 = payments(Network::Main, other, 0)[1].1.clone();
        let expected = [fault(Network::Main, height, 0, None)];
        assert_eq!(faults(Network::Main, height, &outputs), expected);
    }
}

#[test]
fn the_lockbox_is_paid_out_once() {
    let disbursement = 787_500_000_000;
    for (network, height) in [(Network::Main, 3_146_400), (Network::Test, 3_536_500)] {
        let all = terms(network, height);
        assert_eq!((all.disbursed, all.required.len()), (7_875_000_000_000, 11));
        assert_eq!((all.subsidy, all.deferred), (156_250_000, 18_750_000));
        each_change_is_a_fault(network, height, "7.10");
        let good = payments(network, height, 0);
        let mut one = good[..3].to_vec();
        one[2].0 = 10 * disbursement;
        let found = faults(network, height, &one);
        let address = all.required[1].address();
        let kind = PaymentKind::Disbursement;
        let got = Some(10 * disbursement);
        let fault = TransactionFault::Payment { kind, address, expected: disbursement, got };
        assert_eq!(found, vec![fault; 10]);
        // At other heights, the money does not exist.
        for other in [height - 1, height + 1] {
            assert_eq!(terms(network, other).disbursed, 0);
            let mut outputs = payments(network, other, 0);
            outputs.push(good[2].clone());
            let limit = 156_250_000;
            let got = limit + i128::from(disbursement);
            let fault = TransactionFault::CoinbaseExcess { got, limit };
            assert_eq!(faults(network, other, &outputs), [fault]);
        }
    }
}

/// Heights of each era with their subsidies.
const ERAS: [(Network, u32, u64, bool); 8] = [
    (Network::Main, 2, 125_000, false),
    (Network::Main, 400_000, 1_250_000_000, false),
    (Network::Main, 1_500_000, 312_500_000, false),
    (Network::Main, 2_726_399, 312_500_000, false),
    (Network::Main, 2_726_400, 156_250_000, true),
    (Network::Test, 2_975_999, 156_250_000, false),
    (Network::Test, 2_976_000, 156_250_000, true),
    (Network::Test, 3_450_000, 156_250_000, true),
];

#[test]
fn no_more_than_subsidy_and_fees_is_paid_out() {
    for (network, height, subsidy, _) in ERAS {
        assert_eq!(terms(network, height).subsidy, subsidy, "{height}");
        let mut outputs = payments(network, height, 0);
        outputs[0].0 += 1;
        let limit = i128::from(subsidy);
        let fault = TransactionFault::CoinbaseExcess { got: limit + 1, limit };
        assert_eq!(fault.section(), "7.1.2");
        let message =
            format!("it pays out {} zatoshi, more than subsidy and fees of {subsidy}", subsidy + 1);
        assert_eq!(fault.to_string(), message);
        assert_eq!(faults(network, height, &outputs), [fault]);

        outputs[0].0 += FEE - 1;
        let exact = report_on(network, height, &outputs, Some(true));
        assert_eq!((exact.verdict(), &exact.unchecked[..]), (Verdict::Valid, &[][..]), "{height}");
        outputs[0].0 += 1;
        let over = report_on(network, height, &outputs, Some(true));
        let limit = i128::from(subsidy + FEE);
        let fault = TransactionFault::CoinbaseExcess { got: limit + 1, limit };
        assert_eq!(over.transactions[0].faults, [fault]);
        assert_eq!(over.verdict(), Verdict::Invalid);

        // An unknown fee may be large enough.
        let unknown = report_on(network, height, &outputs, Some(false));
        let gap = [Unchecked { gap: Gap::SpentOutputs, count: 1 }];
        assert_eq!(unknown.transactions[0].faults, []);
        let verdicts = [unknown.verdict(), unknown.transactions[0].verdict()];
        assert_eq!(verdicts, [Verdict::Incomplete; 2]);
        assert_eq!(
            (&unknown.unchecked[..], &unknown.transactions[0].unchecked[..]),
            (&gap[..], &gap[..])
        );
    }
}

#[test]
fn from_nu6_on_nothing_remains() {
    for (network, height, subsidy, is_exact) in ERAS {
        assert_eq!(terms(network, height).is_exact, is_exact, "{height}");
        let full = payments(network, height, 0);
        let mut less = full.clone();
        less[0].0 -= 1;
        let least = i128::from(subsidy);
        let fault = TransactionFault::CoinbaseRemainder { got: least - 1, least };
        assert_eq!(fault.section(), "3.4");
        let expected = if is_exact { vec![fault.clone()] } else { vec![] };
        assert_eq!(faults(network, height, &less), expected, "{height}");

        // The fee of a known transaction remains.
        let report = report_on(network, height, &full, Some(true));
        let least = i128::from(subsidy + FEE);
        let of_fee = TransactionFault::CoinbaseRemainder { got: i128::from(subsidy), least };
        let expected_of_fee = if is_exact { vec![of_fee] } else { vec![] };
        assert_eq!(report.transactions[0].faults, expected_of_fee, "{height}");
        let verdict = if is_exact { Verdict::Invalid } else { Verdict::Valid };
        assert_eq!(report.verdict(), verdict, "{height}");

        // An unknown fee may be zero, but not less.
        let report = report_on(network, height, &full, Some(false));
        assert_eq!(report.transactions[0].faults, [], "{height}");
        assert_eq!(report.verdict(), Verdict::Incomplete);
        // Before, no fee is needed for the subsidy.
        let expected_of_first = if is_exact { Verdict::Incomplete } else { Verdict::Valid };
        assert_eq!(report.transactions[0].verdict(), expected_of_first, "{height}");
        let report = report_on(network, height, &less, Some(false));
        assert_eq!(report.transactions[0].faults, expected, "{height}");
    }
}

/// The excess of a coinbase transaction that is alone in a block of the main network.
fn excess(coinbase: Vec<u8>) -> Option<TransactionFault> {
    let bytes = block_bytes(Network::Main, &[coinbase]);
    let block = Block::parse(&bytes, Network::Main).unwrap();
    let (report, _) = report(&block, &SpentOutputs::default(), Known::default());
    let mut faults = report.transactions[0].faults.clone().into_iter();
    faults.find(|fault| matches!(fault, TransactionFault::CoinbaseExcess { .. }))
}

/// Replaces the balance at this position.
fn with_balance(bytes: &[u8], at: usize, balance: i64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + 8].copy_from_slice(&balance.to_le_bytes());
    bytes
}

/// Block 949,496 of the main network pays its miner to Sapling: see vectors/README.md.
#[test]
fn outputs_to_sapling_count_as_paid_out() {
    let text = include_str!("../../vectors/blocks/main_0949496.hex");
    let bytes = hex::decode(text.trim()).unwrap();
    let block = Block::parse(&bytes, Network::Main).unwrap();
    let first = &block.transactions()[0];
    let balance = i64::from(*first.transaction().sapling_bundle().unwrap().value_balance());
    let at = first.bytes().windows(8).position(|bytes| bytes == balance.to_le_bytes()).unwrap();
    // The founders' reward is transparent, the rest is shielded.
    let most = -500_000_000;
    assert!(balance <= most, "the miner has at least the subsidy: {balance}");
    assert_eq!(excess(with_balance(first.bytes(), at, most)), None);
    let limit = 625_000_000;
    let fault = TransactionFault::CoinbaseExcess { got: limit + 1, limit };
    assert_eq!(excess(with_balance(first.bytes(), at, most - 1)), Some(fault));
}

/// A transaction of version 5: see vectors/README.md.
#[derive(Deserialize)]
struct ShieldedVector {
    tx: String,
}

#[test]
fn outputs_to_orchard_count_as_paid_out() {
    let vectors: Vec<ShieldedVector> =
        serde_json::from_str(include_str!("../../vectors/zip_0244.json")).unwrap();
    let height = 1_700_000;
    let mut first = crate::common::coinbase_draft(BranchId::Nu5, 5, height);
    let (miner, _) = first.outputs.remove(0);
    let first = first.bytes(&[crate::common::height_script(height)]);
    let mut seen = 0;
    for vector in vectors {
        let bytes = hex::decode(vector.tx).unwrap();
        let parsed = BlockTransaction::parse(&bytes).unwrap();
        let data = parsed.transaction();
        let Some(bundle) = data.orchard_bundle().filter(|_| data.sapling_bundle().is_none()) else {
            continue;
        };
        seen += 1;
        // The Orchard part is the last one; before it are the counts of Sapling spends and outputs.
        let anchor = bundle.anchor().to_bytes();
        let anchor = bytes.windows(32).position(|bytes| bytes == anchor).unwrap();
        let begins = anchor - 8 - 1 - 820 * bundle.actions().len() - 1;
        let swapped = [&first[..first.len() - 1], &bytes[begins..]].concat();
        let at = first.len() - 1 + anchor - begins - 8;
        let most = -i64::try_from(miner).unwrap();
        assert_eq!(excess(with_balance(&swapped, at, most)), None);
        let limit = 312_500_000;
        let fault = TransactionFault::CoinbaseExcess { got: limit + 1, limit };
        assert_eq!(excess(with_balance(&swapped, at, most - 1)), Some(fault));
    }
    assert!(seen > 0);
}

#[test]
fn other_networks_genesis_and_later_rules_have_no_terms() {
    for (network, height) in [
        (Network::Main, 0),
        (Network::Test, 0),
        (Network::Regtest, 1),
        (Network::Main, 3_543_405),
        (Network::Main, u32::MAX),
        (Network::Test, 4_465_026),
    ] {
        assert_eq!(CoinbaseTerms::at(network, height), None);
    }
    // A given branch does not make a block valid whose payments are not checked.
    let height = 3_600_000;
    let first = crate::common::coinbase(BranchId::Nu6, 5, height);
    let block = Block::parse(&block_bytes(Network::Main, &[first]), Network::Main).unwrap();
    let known = Known { height: Some(height), branch: Some(BranchId::Nu6), ..Known::default() };
    let (report, _) = report(&block, &SpentOutputs::default(), known);
    assert_eq!(report.verdict(), Verdict::Incomplete);
    assert!(report.unchecked.iter().any(|of| of.gap == Gap::LaterRules));
}

#[test]
fn a_missing_coinbase_transaction_is_its_own_fault() {
    let outputs = vec![(1, vec![0x51])];
    let input = DraftInput {
        txid: Hash([9; 32]),
        vout: 0,
        sequence: u32::MAX,
        value: 5,
        script: vec![0x51],
    };
    let draft = draft(Network::Main, 1_500_000, input, outputs);
    let bytes = block_bytes(Network::Main, &[draft.bytes(&[vec![]])]);
    let block = Block::parse(&bytes, Network::Main).unwrap();
    let known = Known { height: Some(1_500_000), ..Known::default() };
    let (report, _) = report(&block, &draft.spent(|_| true), known);
    assert_eq!(report.transactions[0].faults, [TransactionFault::NoCoinbase]);
}
