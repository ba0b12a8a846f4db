// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transactions with the digests that their shielded signatures sign.

use halimede_zcash::{BlockTransaction, BranchId, Subject};

/// A transaction with the digest that its shielded signatures sign.
pub struct Signed {
    pub transaction: BlockTransaction,
    pub branch: BranchId,
    pub digest: [u8; 32],
}

impl Signed {
    /// Returns a copy.
    ///
    /// # Errors
    /// If the transaction cannot be parsed again.
    pub fn copy(&self) -> Result<Self, String> {
        let transaction = BlockTransaction::parse(self.transaction.bytes());
        let transaction = transaction.map_err(|error| error.to_string())?;
        Ok(Self { transaction, branch: self.branch, digest: self.digest })
    }

    /// Returns the transaction with the rules that apply to it.
    pub fn subject(&self) -> Subject<'_> {
        let (branch, digest) = (Some(self.branch), Ok(self.digest));
        Subject { of: &self.transaction, branch, digest }
    }

    /// The number of Sapling spends.
    pub fn spends(&self) -> usize {
        let bundle = self.transaction.transaction().sapling_bundle();
        bundle.map_or(0, |bundle| bundle.shielded_spends().len())
    }

    /// The number of Sapling outputs.
    pub fn outputs(&self) -> usize {
        let bundle = self.transaction.transaction().sapling_bundle();
        bundle.map_or(0, |bundle| bundle.shielded_outputs().len())
    }

    /// The number of Orchard actions.
    pub fn actions(&self) -> usize {
        let bundle = self.transaction.transaction().orchard_bundle();
        bundle.map_or(0, |bundle| bundle.actions().len())
    }
}
