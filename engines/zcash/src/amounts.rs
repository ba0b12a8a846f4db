// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Amounts of a transaction: no more goes out than came in, and no more than there is money.

use zcash_protocol::value::{BalanceError, MAX_MONEY};
use zcash_transparent::bundle::TxOut;

use crate::block::BlockTransaction;
use crate::report::TransactionFault;

/// What is wrong with the amounts of a transaction that spends these outputs. As long as one of
/// them is not known, what came in is not known (Zcash protocol specification, section 3.4: the
/// value that is left must not be negative; ranges as in Bitcoin, zcashd `CheckTransaction`).
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
        return Vec::new(); // what it may take depends on the height and on all fees
    }
    let mut values = spent.iter().map(|spent| spent.as_ref().map(TxOut::value));
    let fee = data.fee_paid::<BalanceError, _>(|_| Ok(values.next().flatten()));
    let inputs = total(spent.iter().flatten());
    match fee {
        Ok(_) => Vec::new(),
        Err(BalanceError::Overflow) => vec![TransactionFault::MoreThanMoney { limit: MAX_MONEY }],
        Err(BalanceError::Underflow) => vec![TransactionFault::Overspent { inputs, outputs }],
    }
}

/// In zatoshi; a block's outputs may have more than 64 bits of them.
fn total<'o>(outputs: impl Iterator<Item = &'o TxOut>) -> u128 {
    outputs.map(|output| u128::from(output.value().into_u64())).sum()
}
