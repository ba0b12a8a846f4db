// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that a coinbase transaction meets its terms.

use zcash_protocol::value::ZatBalance;
use zcash_transparent::bundle::TxOut;

use super::terms::{CoinbaseTerms, Payment};
use crate::block::BlockTransaction;
use crate::fault::TransactionFault;

/// The fees of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fees {
    /// The total of the known fees in zatoshi.
    pub known: i128,
    /// Set if the fees of all transactions are known.
    pub is_total: bool,
}

impl Fees {
    /// Adds up the fees of transactions, where `None` is an unknown fee.
    pub fn sum(fees: impl Iterator<Item = Option<u64>>) -> Self {
        let none = Self { known: 0, is_total: true };
        fees.fold(none, |sum, fee| Self {
            known: sum.known + i128::from(fee.unwrap_or(0)),
            is_total: sum.is_total && fee.is_some(),
        })
    }
}

/// The result of the check of a coinbase transaction's payments.
#[derive(Debug, Default)]
pub struct PaymentCheck {
    /// The faults.
    pub faults: Vec<TransactionFault>,
    /// Set if only unknown fees decide whether the amounts are right.
    pub is_open: bool,
}

/// Checks the payments of a coinbase transaction (Zcash protocol specification, sections 3.4,
/// 7.1.2, 7.9 and 7.10). An unknown fee is at least zero: without the total of the fees, an amount
/// is a fault only if no fee could correct it.
pub fn check_payments(
    coinbase: &BlockTransaction,
    terms: &CoinbaseTerms,
    fees: Fees,
) -> PaymentCheck {
    let bundle = coinbase.transaction().transparent_bundle();
    let outputs = bundle.map_or(&[][..], |bundle| &bundle.vout);
    let mut faults = missing_payments(outputs, &terms.required);
    let got = total_output(coinbase, outputs) + i128::from(terms.deferred);
    let limit = i128::from(terms.subsidy) + i128::from(terms.disbursed) + fees.known;
    let (is_over, is_under) = (got > limit, got < limit && terms.is_exact);
    if is_over && fees.is_total {
        faults.push(TransactionFault::CoinbaseExcess { got, limit });
    }
    if is_under {
        faults.push(TransactionFault::CoinbaseRemainder { got, least: limit });
    }
    let is_decided = fees.is_total || is_under || !is_over && !terms.is_exact;
    PaymentCheck { faults, is_open: !is_decided }
}

/// Returns a fault for each payment without its own output.
fn missing_payments(outputs: &[TxOut], required: &[Payment]) -> Vec<TransactionFault> {
    let mut left: Vec<&TxOut> = outputs.iter().collect();
    let mut missing = Vec::new();
    for payment in required {
        let script = payment.script();
        let pays = |output: &&TxOut| {
            output.value().into_u64() == payment.value && output.script_pubkey().0 .0 == script
        };
        match left.iter().position(pays) {
            Some(index) => drop(left.remove(index)),
            None => missing.push(payment),
        }
    }
    let fault = |payment: &&Payment| {
        let script = payment.script();
        let other = left.iter().find(|output| output.script_pubkey().0 .0 == script);
        TransactionFault::Payment {
            kind: payment.kind,
            address: payment.address(),
            expected: payment.value,
            got: other.map(|output| output.value().into_u64()),
        }
    };
    missing.iter().map(fault).collect()
}

/// Returns the total of the transparent outputs, minus the balances of the shielded pools, in
/// zatoshi.
fn total_output(coinbase: &BlockTransaction, outputs: &[TxOut]) -> i128 {
    let data = coinbase.transaction();
    let balances = [
        data.sapling_bundle().map(|bundle| *bundle.value_balance()),
        data.orchard_bundle().map(|bundle| *bundle.value_balance()),
        data.ironwood_bundle().map(|bundle| *bundle.value_balance()),
    ];
    let balances =
        balances.into_iter().flatten().map(|balance: ZatBalance| i128::from(i64::from(balance)));
    let transparent = outputs.iter().map(|output| i128::from(output.value().into_u64()));
    transparent.sum::<i128>() - balances.sum::<i128>()
}
