// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plans of the requests of each operation.

use super::{OnCoprocessor, Plan, Product, Sum, Task};
use crate::coprocessor::Number;
use crate::eip2537::{self, Precompile, PrecompileError, Work};
use crate::groth16::{self, Rejection as ProofRejection};
use crate::hash::HashError;
use crate::kzg::{self, OpeningError};
use crate::library::Miller;
use crate::operations::{
    Call, Evaluate, OpeningRequest, PrecompileRequest, ProofRequest, RunPrecompile,
    SignatureRequest, VerifyOpening, VerifyProof, VerifySignature,
};
use crate::pairing::{pair, Pair};
use crate::signature::{self, Rejection as SignatureRejection};
use crate::{CurvePoint, Point, G1, G2};

fn task<Reply>(task: impl Task<Reply> + 'static) -> Plan<Reply> {
    Plan::Task(Box::new(task))
}

fn affine(pairs: &[(Point<G1>, Point<G2>)]) -> Vec<Pair> {
    pairs.iter().map(|(p, q)| pair(p, q)).collect()
}

/// Returns the encoding of a product of pairings.
fn value(numbers: [Number; 12]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

impl OnCoprocessor for Evaluate {
    fn has_programs(call: &Call) -> Result<(), String> {
        match call {
            Call::MapG1(_) | Call::MapG2(_) | Call::HashG1(_) | Call::HashG2(_) => {
                Err("no program maps or hashes to a group".into())
            }
            _ => Ok(()),
        }
    }

    fn plan(call: &Call) -> Plan<Result<Vec<u8>, HashError>> {
        let one = Miller::one();
        match call {
            Call::PairingProduct(pairs) => {
                let wanted = super::product::Wanted::Value(Box::new(|numbers| Ok(value(numbers))));
                task(Product::new(&affine(pairs), &one, wanted))
            }
            Call::IsPairingProductOne(pairs) => {
                task(Product::is_one(&affine(pairs), &one, |is_one| Ok(vec![u8::from(is_one)])))
            }
            Call::AddG1(points) => {
                let points = points.iter().map(|point| &**point);
                task(Sum::of_points(points, |sum: CurvePoint<G1>| Ok(sum.to_compressed())))
            }
            Call::AddG2(points) => {
                let points = points.iter().map(|point| &**point);
                task(Sum::of_points(points, |sum: CurvePoint<G2>| Ok(sum.to_compressed())))
            }
            Call::SumG1(terms) => {
                task(Sum::of_multiples(terms.iter().copied(), |sum| Ok(sum.to_compressed())))
            }
            Call::SumG2(terms) => {
                task(Sum::of_multiples(terms.iter().copied(), |sum| Ok(sum.to_compressed())))
            }
            Call::MapG1(_) | Call::MapG2(_) | Call::HashG1(_) | Call::HashG2(_) => {
                Plan::Known(<Self as halimede_arith::job::Compute>::compute(call))
            }
        }
    }
}

impl OnCoprocessor for RunPrecompile {
    fn has_programs(row: &PrecompileRequest) -> Result<(), String> {
        match row.precompile {
            Precompile::MapFpToG1 | Precompile::MapFp2ToG2 => {
                Err("no program maps to a group".into())
            }
            _ => Ok(()),
        }
    }

    fn plan(row: &PrecompileRequest) -> Plan<Result<Vec<u8>, PrecompileError>> {
        match row.precompile.read(&row.input) {
            Err(error) => Plan::Known(Err(error)),
            Ok(Work::AddG1(points)) => {
                task(Sum::of_points(&points, |sum| Ok(eip2537::write(&sum))))
            }
            Ok(Work::AddG2(points)) => {
                task(Sum::of_points(&points, |sum| Ok(eip2537::write(&sum))))
            }
            Ok(Work::SumG1(terms)) => {
                task(Sum::of_multiples(terms, |sum| Ok(eip2537::write(&sum))))
            }
            Ok(Work::SumG2(terms)) => {
                task(Sum::of_multiples(terms, |sum| Ok(eip2537::write(&sum))))
            }
            Ok(Work::Pairing(pairs)) => {
                let finish = |is_one| Ok(eip2537::write_verdict(is_one));
                task(Product::is_one(&affine(&pairs), &Miller::one(), finish))
            }
            Ok(Work::Map(output)) => Plan::Known(Ok(output)),
        }
    }
}

impl OnCoprocessor for VerifySignature {
    fn plan(row: &SignatureRequest) -> Plan<Result<(), SignatureRejection>> {
        let verdict = |holds: bool| if holds { Ok(()) } else { Err(SignatureRejection::Mismatch) };
        match signature::pairs(row.suite, row.signed()) {
            Ok(pairs) => task(Product::is_one(&pairs, &Miller::one(), verdict)),
            Err(rejection) => Plan::Known(Err(rejection)),
        }
    }
}

impl OnCoprocessor for VerifyProof {
    fn plan(row: &ProofRequest) -> Plan<Result<(), ProofRejection>> {
        let verdict = |holds: bool| if holds { Ok(()) } else { Err(ProofRejection::Mismatch) };
        match groth16::pairs(&row.key, row.borrow()) {
            Ok((pairs, factor)) => task(Product::is_one(&pairs, &factor, verdict)),
            Err(rejection) => Plan::Known(Err(rejection)),
        }
    }
}

impl OnCoprocessor for VerifyOpening {
    fn plan(row: &OpeningRequest) -> Plan<Result<bool, OpeningError>> {
        match kzg::pairs(&row.setup, row.opening.borrow()) {
            Ok(pairs) => task(Product::is_one(&pairs, &Miller::one(), Ok)),
            Err(error) => Plan::Known(Err(error)),
        }
    }
}
