// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A small circuit for the crate `groth16`, and a random generator with its traits.
//! `halimede-bench` includes this file as a module too.

use std::convert::Infallible;

use bellman::{Circuit, ConstraintSystem, SynthesisError};
use bls12_381::Scalar;
use rand::RngCore;
use rand_chacha::ChaCha8Rng;
use rand_core_peer::{TryCryptoRng, TryRng};

/// A circuit: x·y = product and x + y = sum, for secret x and y.
pub struct Factors {
    pub secret: Option<(Scalar, Scalar)>,
}

impl Circuit<Scalar> for Factors {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let value = |of: fn((Scalar, Scalar)) -> Scalar| {
            move || self.secret.map(of).ok_or(SynthesisError::AssignmentMissing)
        };
        let x = cs.alloc(|| "x", value(|(x, _)| x))?;
        let y = cs.alloc(|| "y", value(|(_, y)| y))?;
        let product = cs.alloc_input(|| "product", value(|(x, y)| x * y))?;
        let sum = cs.alloc_input(|| "sum", value(|(x, y)| x + y))?;
        cs.enforce(|| "product", |lc| lc + x, |lc| lc + y, |lc| lc + product);
        cs.enforce(|| "sum", |lc| lc + x + y, |lc| lc + CS::one(), |lc| lc + sum);
        Ok(())
    }
}

/// A generator for the crate, which uses another version of the traits.
pub struct PeerRng(pub ChaCha8Rng);

impl TryRng for PeerRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

impl TryCryptoRng for PeerRng {}
