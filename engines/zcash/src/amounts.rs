// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of the amounts of a transaction: outputs do not exceed inputs, and no amount exceeds the
//! money supply.

use zcash_protocol::value::{BalanceError, Zatoshis, MAX_MONEY};
use zcash_transparent::bundle::TxOut;

use crate::block::BlockTransaction;
use crate::fault::TransactionFault;

/// Returns the faults in the amounts of a transaction that spends these outputs. If one of the
/// outputs is unknown, the total of the inputs is unknown too (Zcash protocol specification,
/// section 3.4: the remaining value must not be negative; ranges as in Bitcoin, zcashd
/// `CheckTransaction`).
pub fn amount_faults(
    transaction: &BlockTransaction,
    spent: &[Option<TxOut>],
) -> Vec<TransactionFault> {
    let data = transaction.transaction();
    let outputs = data.transparent_bundle().map_or(&[][..], |bundle| &bundle.vout);
    let outputs = total(outputs.iter());
    if outputs > u128::from(MAX_MONEY) {
        return vec![TransactionFault::OutputTotal { got: outputs, limit: MAX_MONEY }];
    }
    if transaction.is_coinbase() {
        return Vec::new(); // see payments: the total depends on the height and on all fees
    }
    let inputs = total(spent.iter().flatten());
    match paid_fee(transaction, spent) {
        Ok(_) => Vec::new(),
        Err(BalanceError::Overflow) => vec![TransactionFault::MoreThanMoney { limit: MAX_MONEY }],
        Err(BalanceError::Underflow) => vec![TransactionFault::Overspent { inputs, outputs }],
    }
}

/// Returns the fee in zatoshi of a transaction that spends these outputs; `None` if one of them is
/// unknown, if the amounts do not add up, and for a coinbase transaction.
pub fn fee(transaction: &BlockTransaction, spent: &[Option<TxOut>]) -> Option<u64> {
    let fee = paid_fee(transaction, spent).ok().flatten();
    fee.filter(|_| !transaction.is_coinbase()).map(Zatoshis::into_u64)
}

fn paid_fee(
    transaction: &BlockTransaction,
    spent: &[Option<TxOut>],
) -> Result<Option<Zatoshis>, BalanceError> {
    let mut values = spent.iter().map(|spent| spent.as_ref().map(TxOut::value));
    transaction.transaction().fee_paid(|_| Ok(values.next().flatten()))
}

/// The total in zatoshi; the outputs of a block may exceed 64 bits.
fn total<'o>(outputs: impl Iterator<Item = &'o TxOut>) -> u128 {
    outputs.map(|output| u128::from(output.value().into_u64())).sum()
}
