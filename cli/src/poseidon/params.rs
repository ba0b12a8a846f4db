// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon params`: prints the parameters of an instance, or generated ones, as JSON.

use halimede_arith::field::{Bls12381Scalar, Modulus, StarkPrime};
use halimede_arith::Field;
use halimede_poseidon::{Family, Instance, PoseidonField};
use serde_json::{json, Value};

use super::generate::generated_json;
use super::parse_instance;
use crate::arguments::ParamsOptions;
use crate::error::CommandError;
use crate::output::print_line;

pub fn run(options: &ParamsOptions) -> Result<(), CommandError> {
    let text = match &options.instance {
        Some(instance) => instance_json(parse_instance(instance, options.strength)?),
        None => generated_json(&options.generated)?,
    };
    print_line(&text)
}

fn instance_json(instance: Instance) -> String {
    let numbers = match instance.family() {
        Family::Filecoin(_) => numbers::<Bls12381Scalar>(instance),
        Family::Stark => numbers::<StarkPrime>(instance),
    };
    format!("{:#}", numbers.unwrap_or(Value::Null))
}

fn numbers<M: PoseidonField>(instance: Instance) -> Option<Value> {
    let parameters = M::parameters(instance)?;
    let texts = |list: &[Field<M>]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = parameters.mds.rows().iter().map(|row| texts(row)).collect();
    let [l0, l1, l2, l3] = <M as Modulus>::VALUE;
    Some(json!({
        "instance": instance.to_string(),
        "field": M::NAME,
        "modulus": format!("0x{l3:016x}{l2:016x}{l1:016x}{l0:016x}"),
        "width": instance.width(),
        "arity": instance.arity(),
        "alpha": instance.alpha(),
        "full_rounds": instance.full_rounds(),
        "partial_rounds": instance.partial_rounds(),
        "partial_sbox_index": instance.partial_sbox_index(),
        "digest_index": instance.digest_index(),
        "round_constants": texts(&parameters.round_constants),
        "mds": rows,
    }))
}
