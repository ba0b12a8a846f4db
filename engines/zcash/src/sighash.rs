// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signature hashes of transparent inputs and shielded parts: as in Bitcoin before Overwinter, by
//! ZIP 143 and ZIP 243 up to version 4, by ZIP 244 from version 5 on.

mod legacy;
#[cfg(test)]
mod tests;

use zcash_primitives::transaction::sighash::{PrecomputedSighashData, SignableInput};
use zcash_primitives::transaction::{Authorization, Authorized, TransactionData, TxVersion};
use zcash_protocol::consensus::BranchId;
use zcash_protocol::value::Zatoshis;
use zcash_script::script::Code;
use zcash_transparent::address::Script;
use zcash_transparent::bundle::{self, Bundle, TxOut};
use zcash_transparent::sighash::{
    SighashType, SignableInput as TransparentInput, TransparentAuthorizingContext, SIGHASH_ALL,
    SIGHASH_ANYONECANPAY, SIGHASH_MASK, SIGHASH_SINGLE,
};

use crate::block::BlockTransaction;
use crate::shielded;
use crate::verdict::{NotChecked, SignatureFault};
use legacy::Legacy;

/// The signature hashes of a transaction.
pub struct Digests {
    form: SighashForm,
    outputs: usize,
    is_coinbase: bool,
    spent: Vec<Option<TxOut>>,
}

/// The algorithm of the digests.
enum SighashForm {
    /// Before Overwinter, where `zcash_primitives` panics.
    Legacy(Box<Legacy>),
    /// From Overwinter on, before version 5: with the branch.
    Branch(Box<PrecomputedSighashData<Spending>>),
    /// From Overwinter on, before version 5: the branch is unknown.
    NoBranch,
    /// From version 5 on: with all spent outputs.
    AllSpent(Box<PrecomputedSighashData<Spending>>),
}

/// Why a digest cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DigestError {
    /// Consensus does not define it: the signature is invalid.
    Fault(SignatureFault),
    /// A needed input is unknown.
    NotChecked(NotChecked),
}

impl Digests {
    /// Prepares the digests of a transaction that spends these outputs, one per input, as far as
    /// they are known.
    pub fn new(
        transaction: &BlockTransaction,
        branch: Option<BranchId>,
        spent: Vec<Option<TxOut>>,
    ) -> Self {
        let data = transaction.transaction();
        let outputs = data.transparent_bundle().map_or(0, |bundle| bundle.vout.len());
        let has_signatures = shielded::signatures(transaction) > 0;
        let form = match (data.version(), branch) {
            // Nothing can ask for a digest.
            _ if !has_signatures && spent.iter().all(Option::is_none) => SighashForm::NoBranch,
            (TxVersion::Sprout(_), _) => SighashForm::Legacy(Box::new(Legacy::new(transaction))),
            (TxVersion::V3, _) => SighashForm::branch(data, BranchId::Overwinter, &spent),
            (TxVersion::V4, Some(branch)) => SighashForm::branch(data, branch, &spent),
            (TxVersion::V4, None) => SighashForm::NoBranch,
            (_, _) => SighashForm::all_spent(data, &spent),
        };
        Self { form, outputs, is_coinbase: transaction.is_coinbase(), spent }
    }

    /// Returns the output that this input spends, if it is known.
    pub fn spent(&self, input: usize) -> Option<&TxOut> {
        self.spent.get(input)?.as_ref()
    }

    /// Computes the digest that the shielded signatures sign: that of no input, with the hash type
    /// `ALL` (Zcash protocol specification, section 4.10). From version 5 on it commits to all
    /// outputs that the transaction spends, if there are any.
    ///
    /// # Errors
    /// [`NotChecked`] if a needed output or the branch is unknown.
    pub fn shielded(&self) -> Result<[u8; 32], NotChecked> {
        let data = match &self.form {
            SighashForm::Legacy(legacy) => {
                return Ok(legacy.digest(usize::MAX, &[], SIGHASH_ALL.into()));
            }
            SighashForm::NoBranch => return Err(NotChecked::BranchUnknown),
            SighashForm::Branch(data) => data,
            SighashForm::AllSpent(data) => {
                let missing = self.spent.iter().position(Option::is_none);
                match missing.filter(|_| !self.is_coinbase) {
                    Some(input) => return Err(NotChecked::SpentOutputUnknown { input }),
                    None => data,
                }
            }
        };
        Ok(*data.signature_hash(&SignableInput::Shielded).as_ref())
    }

    /// Computes the digest that a signature of this type signs in this input; `script_code` is the
    /// script code so far.
    ///
    /// # Errors
    /// [`DigestError`].
    pub fn digest(
        &self,
        input: usize,
        script_code: &Code,
        hash_type: u8,
    ) -> Result<[u8; 32], DigestError> {
        let unknown = |input| DigestError::NotChecked(NotChecked::SpentOutputUnknown { input });
        let spent = self.spent(input).ok_or_else(|| unknown(input))?;
        let lacks_output = hash_type & SIGHASH_MASK == SIGHASH_SINGLE && input >= self.outputs;
        let no_output = DigestError::Fault(SignatureFault::NoSuchOutput { input });
        match &self.form {
            // zcashd: "no matching output for SIGHASH_SINGLE"; not a digest of 1 as in Bitcoin.
            SighashForm::Legacy(_) if lacks_output => Err(no_output),
            SighashForm::Legacy(legacy) => {
                Ok(legacy.digest(input, &script_code.0, hash_type.into()))
            }
            SighashForm::NoBranch => Err(DigestError::NotChecked(NotChecked::BranchUnknown)),
            SighashForm::Branch(data) => {
                let hash_type = SighashType::from_raw(hash_type);
                Ok(precomputed(data, input, script_code, spent, hash_type))
            }
            SighashForm::AllSpent(data) => {
                // ZIP 244, "Signature digest": other types and a missing output are failures.
                let parsed = SighashType::parse(hash_type);
                let parsed = parsed
                    .ok_or(DigestError::Fault(SignatureFault::UndefinedHashType(hash_type)))?;
                if lacks_output {
                    return Err(no_output);
                }
                let missing = self.spent.iter().position(Option::is_none);
                match missing.filter(|_| hash_type & SIGHASH_ANYONECANPAY == 0) {
                    Some(input) => Err(unknown(input)),
                    None => Ok(precomputed(data, input, script_code, spent, parsed)),
                }
            }
        }
    }
}

impl SighashForm {
    fn all_spent(data: &TransactionData<Authorized>, spent: &[Option<TxOut>]) -> Self {
        Self::AllSpent(Box::new(PrecomputedSighashData::new(spending(data, spent))))
    }

    fn branch(
        data: &TransactionData<Authorized>,
        branch: BranchId,
        spent: &[Option<TxOut>],
    ) -> Self {
        let data = spending(data, spent);
        let data = TransactionData::<Spending>::from_parts(
            data.version(),
            branch,
            data.lock_time(),
            data.expiry_height(),
            data.transparent_bundle().cloned(),
            data.sprout_bundle().cloned(),
            data.sapling_bundle().cloned(),
            None,
        );
        Self::Branch(Box::new(PrecomputedSighashData::new(data)))
    }
}

/// The transaction, with the spent outputs instead of its scripts.
fn spending(
    data: &TransactionData<Authorized>,
    spent: &[Option<TxOut>],
) -> TransactionData<Spending> {
    data.clone().map_authorization(SpentByInputs::new(spent), (), ())
}

fn precomputed(
    data: &PrecomputedSighashData<Spending>,
    input: usize,
    script_code: &Code,
    spent: &TxOut,
    hash_type: SighashType,
) -> [u8; 32] {
    let code = Script(script_code.clone());
    let empty = Bundle { vin: vec![], vout: vec![], authorization: SpentByInputs::default() };
    let bundle = data.tx().transparent_bundle().unwrap_or(&empty);
    let parts = TransparentInput::from_parts(
        bundle,
        hash_type,
        input,
        &code,
        spent.script_pubkey(),
        spent.value(),
    );
    let signable = parts.map_or(SignableInput::Shielded, SignableInput::Transparent);
    *data.signature_hash(&signable).as_ref()
}

/// A transaction with the outputs that it spends.
#[derive(Debug)]
struct Spending;

impl Authorization for Spending {
    type TransparentAuth = SpentByInputs;
    type SaplingAuth = <Authorized as Authorization>::SaplingAuth;
    type OrchardAuth = <Authorized as Authorization>::OrchardAuth;
}

/// The outputs that the inputs spend. Digests that need an unknown output are never computed.
#[derive(Clone, Debug, Default)]
struct SpentByInputs {
    values: Vec<Zatoshis>,
    scripts: Vec<Script>,
}

impl SpentByInputs {
    fn new(spent: &[Option<TxOut>]) -> Self {
        let value = |spent: &Option<TxOut>| spent.as_ref().map_or(Zatoshis::ZERO, TxOut::value);
        let script = |spent: &Option<TxOut>| {
            spent.as_ref().map_or_else(Script::default, |output| output.script_pubkey().clone())
        };
        Self {
            values: spent.iter().map(value).collect(),
            scripts: spent.iter().map(script).collect(),
        }
    }
}

impl bundle::Authorization for SpentByInputs {
    type ScriptSig = ();
}

impl TransparentAuthorizingContext for SpentByInputs {
    fn input_amounts(&self) -> Vec<Zatoshis> {
        self.values.clone()
    }

    fn input_scriptpubkeys(&self) -> Vec<Script> {
        self.scripts.clone()
    }
}

impl bundle::MapAuth<bundle::Authorized, SpentByInputs> for SpentByInputs {
    fn map_script_sig(&self, _: Script) {}

    fn map_authorization(&self, _: bundle::Authorized) -> SpentByInputs {
        self.clone()
    }
}
