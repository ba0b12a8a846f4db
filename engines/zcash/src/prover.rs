// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs of Sapling spends and outputs (Zcash protocol specification, sections 4.17.2 and
//! 4.17.3), made by `halimede-bls12-381`. [`SaplingProver`] implements the traits of
//! `sapling-crypto`, so that a wallet passes it to its builder in place of that crate's parameters.

mod description;
mod notes;
mod transaction;

pub use description::{Description, DescriptionError, MOST_DESCRIPTION_BYTES, MOST_NOTES};
pub use transaction::{MadeTransaction, MakeError};

use halimede_arith::Fr;
use halimede_bls12_381::groth16::prove::circuit::{assign, CircuitError};
use halimede_bls12_381::groth16::prove::{Blinding, PointChecks, ProvingKey, ProvingKeyError};
use halimede_bls12_381::reduced;
use rand_core::Rng;
use sapling_crypto::bundle::GrothProofBytes;
use sapling_crypto::circuit::{Output, OutputParameters, Spend, SpendParameters};
use sapling_crypto::keys::EphemeralSecretKey;
use sapling_crypto::prover::{OutputProver, SpendProver};
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor};
use sapling_crypto::{Diversifier, MerklePath, PaymentAddress, ProofGenerationKey, Rseed};
use zeroize::Zeroizing;

use crate::shielded::Statement;

/// The name and the BLAKE2b-512 digest of a parameter file of the ceremony (section 5.7).
struct File {
    name: &'static str,
    digest: &'static str,
    statement: Statement,
}

const SPEND: File = File {
    name: "sapling-spend.params",
    digest: "8270785a1a0d0bc77196f000ee6d221c9c9894f55307bd9357c3f0105d31ca63\
             991ab91324160d8f53e2bbd3c2633a6eb8bdf5205d822e7f3f73edac51b2b70c",
    statement: Statement::Spend,
};

const OUTPUT: File = File {
    name: "sapling-output.params",
    digest: "657e3d38dbb5cb5e7dd2970e8b03d69b4787dd907285b5a7f0790dcc8072f60b\
             f593b32cc2d1c030e00ff5ae64bf84c5c3beb84ddc841d48264b4a171744d028",
    statement: Statement::Output,
};

/// Why bytes are not the parameters of Sapling.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParametersError {
    /// The bytes are another file.
    #[error("not `{name}` of the ceremony: its BLAKE2b-512 digest is {expected}, not {got}")]
    OtherFile {
        /// The name of the file.
        name: &'static str,
        /// The digest of the ceremony's file.
        expected: &'static str,
        /// The digest of these bytes.
        got: String,
    },
    /// The key is invalid.
    #[error("{name}: {error}")]
    Key {
        /// The name of the file.
        name: &'static str,
        /// The reason.
        error: ProvingKeyError,
    },
    /// The key is not that with which this crate verifies.
    #[error("the verifying key of `{name}` is not the known one")]
    OtherKey {
        /// The name of the file.
        name: &'static str,
    },
}

impl File {
    fn read(&self, bytes: &[u8]) -> Result<ProvingKey, ParametersError> {
        let Self { name, digest, statement } = *self;
        let got = blake2b_simd::blake2b(bytes).to_hex().to_string();
        if got != digest {
            return Err(ParametersError::OtherFile { name, expected: digest, got });
        }
        // The transcript of the ceremony follows the key.
        let (key, _) = ProvingKey::read_prefix(bytes, PointChecks::Curve)
            .map_err(|error| ParametersError::Key { name, error })?;
        match statement.key().is_some_and(|known| *known == *key.verifying_key()) {
            true => Ok(key),
            false => Err(ParametersError::OtherKey { name }),
        }
    }
}

/// Makes proofs of Sapling spends and outputs on the threads of the current rayon pool, and
/// verifies each before it returns it. It holds 60 MB.
#[derive(Clone, Debug)]
pub struct SaplingProver {
    spend: ProvingKey,
    output: ProvingKey,
}

impl SaplingProver {
    /// Reads `sapling-spend.params` and `sapling-output.params`.
    ///
    /// # Errors
    /// [`ParametersError`], unless they are the files of the ceremony.
    pub fn new(spend: &[u8], output: &[u8]) -> Result<Self, ParametersError> {
        Ok(Self { spend: SPEND.read(spend)?, output: OUTPUT.read(output)? })
    }

    /// Makes a proof of a spend with random numbers from the operating system.
    ///
    /// # Errors
    /// [`CircuitError`], for instance if the note is not in the tree of the anchor.
    pub fn prove_spend(&self, circuit: Spend) -> Result<GrothProofBytes, CircuitError> {
        self.spend.prove_circuit(circuit)
    }

    /// Makes a proof of an output with random numbers from the operating system.
    ///
    /// # Errors
    /// [`CircuitError`].
    pub fn prove_output(&self, circuit: Output) -> Result<GrothProofBytes, CircuitError> {
        self.output.prove_circuit(circuit)
    }

    /// The proving key of spends.
    pub const fn spend_key(&self) -> &ProvingKey {
        &self.spend
    }

    /// The proving key of outputs.
    pub const fn output_key(&self) -> &ProvingKey {
        &self.output
    }
}

/// Returns random numbers of the operating system plus those of a wallet's generator, so that a bad
/// generator of either reveals nothing.
fn blinding<R: Rng>(rng: &mut R) -> Result<Blinding, CircuitError> {
    let mut scalar = || -> Fr {
        let mut bytes = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut bytes[..]);
        reduced(&bytes)
    };
    Ok(Blinding::random()?.plus(scalar(), scalar()))
}

/// Returns the proof of a circuit that the caller has made for its own notes.
///
/// # Panics
/// Without a proof: the traits have no errors.
#[allow(clippy::panic, reason = "the traits have no errors, and no bytes mark a failure")]
fn proven(proof: Result<GrothProofBytes, CircuitError>) -> GrothProofBytes {
    match proof {
        Ok(proof) => proof,
        Err(error) => panic!("no Sapling proof was made: {error}"),
    }
}

impl SpendProver for SaplingProver {
    type Proof = GrothProofBytes;

    fn prepare_circuit(
        proof_generation_key: ProofGenerationKey,
        diversifier: Diversifier,
        rseed: Rseed,
        value: NoteValue,
        alpha: jubjub::Fr,
        rcv: ValueCommitTrapdoor,
        anchor: bls12_381::Scalar,
        merkle_path: MerklePath,
    ) -> Option<Spend> {
        <SpendParameters as SpendProver>::prepare_circuit(
            proof_generation_key,
            diversifier,
            rseed,
            value,
            alpha,
            rcv,
            anchor,
            merkle_path,
        )
    }

    /// Makes a proof, with the sum of the generator's and the operating system's random numbers.
    ///
    /// # Panics
    /// If the circuit's values contradict each other, and if the operating system has no random
    /// numbers. [`SaplingProver::prove_spend`] returns an error instead.
    fn create_proof<R: Rng>(&self, circuit: Spend, rng: &mut R) -> GrothProofBytes {
        proven(blinding(rng).and_then(|blinding| {
            Ok(self.spend.prove_with(assign::<bls12_381::Scalar, _>(circuit)?, blinding)?)
        }))
    }

    fn encode_proof(proof: GrothProofBytes) -> GrothProofBytes {
        proof
    }
}

impl OutputProver for SaplingProver {
    type Proof = GrothProofBytes;

    fn prepare_circuit(
        esk: &EphemeralSecretKey,
        payment_address: PaymentAddress,
        rcm: jubjub::Fr,
        value: NoteValue,
        rcv: ValueCommitTrapdoor,
    ) -> Output {
        <OutputParameters as OutputProver>::prepare_circuit(esk, payment_address, rcm, value, rcv)
    }

    /// As for spends.
    ///
    /// # Panics
    /// As for spends. [`SaplingProver::prove_output`] returns an error instead.
    fn create_proof<R: Rng>(&self, circuit: Output, rng: &mut R) -> GrothProofBytes {
        proven(blinding(rng).and_then(|blinding| {
            Ok(self.output.prove_with(assign::<bls12_381::Scalar, _>(circuit)?, blinding)?)
        }))
    }

    fn encode_proof(proof: GrothProofBytes) -> GrothProofBytes {
        proof
    }
}
