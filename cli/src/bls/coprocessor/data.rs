// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Slots and the start of a program as JSON.

use std::path::Path;

use halimede_bls12_381::coprocessor::isa::{Kind, INSTRUCTIONS};
use halimede_bls12_381::coprocessor::{affine_values, element, kind_of, Number, Program, Slot};
use halimede_bls12_381::{Curve, CurvePoint, G1, G2};
use serde::Deserialize;
use serde_json::{json, Value};

use crate::bls::digits;
use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::read_limited;

/// The maximum length of a file of data.
const LIMIT_BYTES: u64 = 4 << 20;

/// The content of a file of data.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Data {
    pub start: Option<u16>,
    pub slots: Vec<(usize, Slot)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    start: Option<u16>,
    #[serde(default)]
    slots: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    slot: usize,
    kind: String,
    values: Option<Vec<Value>>,
    point: Option<String>,
}

impl Data {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, CommandError> {
        let bytes = read_limited(path, LIMIT_BYTES)?;
        Self::parse(&bytes).map_err(|reason| not_wanted_bytes(path, &bytes, "JSON", reason))
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// The reason why the JSON is invalid.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let fields: Fields = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if fields.start.is_some_and(|start| usize::from(start) >= INSTRUCTIONS) {
            return Err(format!("`start` must be below {INSTRUCTIONS}"));
        }
        let mut slots = Vec::new();
        for (number, item) in fields.slots.iter().enumerate() {
            let read = item.read().map_err(|reason| format!("element {number}: {reason}"))?;
            slots.extend(read);
        }
        Ok(Self { start: fields.start, slots })
    }

    /// Adds the data to a program, and replaces the program's own values of the same slots.
    pub fn add_to(self, program: &mut Program) {
        program.start = self.start.unwrap_or(program.start);
        program.slots.extend(self.slots);
    }
}

impl Item {
    fn read(&self) -> Result<Vec<(usize, Slot)>, String> {
        let kind = kind_of(&self.kind).ok_or_else(|| format!("unknown kind {:?}", self.kind))?;
        let numbers = match (&self.values, &self.point, kind) {
            (Some(values), None, _) => values.iter().map(number).collect::<Result<_, _>>()?,
            (None, Some(point), Kind::FpAf) => coordinates::<G1>(point)?,
            (None, Some(point), Kind::Fp2Af) => coordinates::<G2>(point)?,
            (None, Some(_), _) => return Err("the kind of a `point` is FP_AF or FP2_AF".into()),
            _ => return Err("expected either `values` or a `point`".into()),
        };
        element(self.slot, kind, &numbers).map_err(|problem| problem.to_string())
    }
}

fn number(value: &Value) -> Result<Number, String> {
    match value {
        Value::String(text) => Number::parse(text).map_err(|error| format!("{text:?}: {error}")),
        Value::Number(number) => {
            number.as_u64().map(Number::from).ok_or_else(|| format!("{number} is not a value"))
        }
        _ => Err(format!("{value} is not a value: expected a number or a string of digits")),
    }
}

fn coordinates<C: Curve>(text: &str) -> Result<Vec<Number>, String> {
    let point = CurvePoint::<C>::from_bytes(&digits(text)?).map_err(|error| error.to_string())?;
    Ok(affine_values(&point))
}

/// Returns the data of a program in the form of a file.
pub fn to_json(program: &Program) -> Value {
    json!({ "start": program.start, "slots": elements(&program.slots) })
}

/// Groups slots into elements. Slots that do not fill an element of their kind are written one by
/// one like scalars, with the name of their kind.
pub fn elements(slots: &[(usize, Slot)]) -> Vec<Value> {
    let mut written = Vec::new();
    let mut rest = slots;
    while let Some(&(place, Slot { kind, .. })) = rest.first() {
        let is_next = |(offset, (at, slot)): (usize, &(usize, Slot))| {
            *at == place + offset && slot.kind == kind
        };
        let run =
            rest.iter().enumerate().take(kind.slots()).take_while(|one| is_next(*one)).count();
        let values: Vec<String> =
            rest[..run].iter().map(|(_, slot)| slot.number.to_string()).collect();
        written.push(json!({ "slot": place, "kind": kind.name(), "values": values }));
        rest = &rest[run..];
    }
    written
}
