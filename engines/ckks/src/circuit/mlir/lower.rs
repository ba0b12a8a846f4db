// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lowers the body of a function to expressions.
//!
//! Circuits relinearize and rescale each product, and align levels and scales themselves. The
//! operations that do so in a program are therefore the identity here.

use std::collections::{BTreeMap, HashMap};

use super::argument::{Argument, ArgumentKind};
use super::cursor::Cursor;
use super::dense::numbers;
use super::error::MlirError;
use super::lexer::Token;
use super::operation::{parts, Parts};
use super::types::{Type, Types, MAX_DEPTH, MAX_ELEMENTS};
use super::value::{Binary, Value};
use crate::circuit::Expression;

/// The largest number of operations of a function.
pub const MAX_OPERATIONS: usize = 1 << 17;
/// The largest number of values of all constants together.
const MAX_CONSTANTS: usize = 4 * MAX_ELEMENTS;

type Lowered<T> = Result<T, MlirError>;

/// Returns the results of a body. `arguments` has each argument, its name and its type.
pub(super) fn lower<'t>(
    types: &Types<'t>,
    arguments: &[(&Argument, &'t str, &Type)],
    plain: &BTreeMap<String, Vec<f64>>,
    mut body: Cursor<'_, 't>,
) -> Lowered<Vec<Expression>> {
    let mut lowering = Lowering {
        types,
        values: HashMap::new(),
        scopes: vec![Vec::new()],
        operations: 0,
        constants: 0,
        degree: None,
    };
    for (argument, name, of) in arguments {
        let value = given(argument, plain).map_err(|reason| body.error(reason))?;
        lowering.checked(of, &body)?;
        lowering.define(name, value, &body)?;
    }
    let results = lowering.block(&mut body, 0)?;
    let expression = |value: &Value| match value {
        Value::Encrypted(_) | Value::List(_) => value.expression(),
        _ => Err("a result is not encrypted".to_owned()),
    };
    results.iter().map(|value| expression(value).map_err(|reason| body.error(reason))).collect()
}

/// Returns the value of an argument.
fn given(argument: &Argument, plain: &BTreeMap<String, Vec<f64>>) -> Result<Value, String> {
    let Argument { name, kind, length } = argument;
    match kind {
        ArgumentKind::Key => Ok(Value::Key),
        ArgumentKind::Encrypted => Ok(Value::Encrypted(Expression::input(name.as_str()))),
        ArgumentKind::Plain => {
            let values =
                plain.get(name).ok_or_else(|| format!("the values of %{name} are missing"))?;
            if values.is_empty() || length.is_some_and(|length| values.len() != length) {
                let got = values.len();
                let wanted = length.map_or("some".to_owned(), |length| length.to_string());
                return Err(format!("%{name} has {got} values, and its type has {wanted}"));
            }
            match values.iter().all(|value| value.is_finite()) {
                true => Ok(Value::known(values.clone())),
                false => Err(format!("a value of %{name} is not finite")),
            }
        }
    }
}

struct Lowering<'y, 't> {
    types: &'y Types<'t>,
    values: HashMap<&'t str, Value>,
    /// The names that each open region defines.
    scopes: Vec<Vec<&'t str>>,
    operations: usize,
    constants: usize,
    /// The degree of the ciphertexts.
    degree: Option<usize>,
}

impl<'t> Lowering<'_, 't> {
    fn define(&mut self, name: &'t str, value: Value, at: &Cursor<'_, 't>) -> Lowered<()> {
        if self.values.insert(name, value).is_some() {
            return Err(at.error(format!("%{name} is defined twice")));
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
        Ok(())
    }

    fn value(&self, cursor: &Cursor<'_, 't>, (name, index): (&str, usize)) -> Lowered<&Value> {
        let error = || cursor.at_index(index).error(format!("%{name} is not defined here"));
        self.values.get(name).ok_or_else(error)
    }

    /// Checks that all ciphertexts have polynomials of one degree.
    fn checked(&mut self, of: &Type, at: &Cursor<'_, 't>) -> Lowered<()> {
        let Some(degree) = of.ciphertext().and_then(|space| space.degree) else { return Ok(()) };
        let known = *self.degree.get_or_insert(degree);
        match known == degree {
            true => Ok(()),
            false => Err(at.error(format!("ciphertexts of the degrees {known} and {degree}"))),
        }
    }

    /// Consumes operations up to the end of the region, and returns what they return or yield.
    fn block(&mut self, cursor: &mut Cursor<'_, 't>, depth: usize) -> Lowered<Vec<Value>> {
        loop {
            let start = *cursor;
            self.operations += 1;
            if self.operations > MAX_OPERATIONS {
                return Err(start.error(format!("more than {MAX_OPERATIONS} operations")));
            }
            match cursor.peek() {
                Token::Word("return" | "func.return" | "secret.yield") => {
                    cursor.next();
                    let parts = parts(self.types, cursor)?;
                    cursor.expect('}')?;
                    let values =
                        parts.operands.iter().map(|name| self.value(cursor, *name).cloned());
                    return values.collect();
                }
                Token::Word("debug.validate") => {
                    cursor.next();
                    parts(self.types, cursor)?;
                }
                Token::Name('%', name) => {
                    cursor.next();
                    if cursor.peek() != Token::Sign('=') {
                        return Err(cursor.expected("'=' after the name of one result"));
                    }
                    cursor.next();
                    let value = self.operation(cursor, depth)?;
                    let label = format!("line {}", start.position().line);
                    let value = match value {
                        Value::Encrypted(of) => Value::Encrypted(of.labeled(label)),
                        other => other,
                    };
                    self.define(name, value, &start)?;
                }
                Token::Word(name) => {
                    return Err(start.error(format!("the operation {name} is not supported")))
                }
                _ => return Err(start.expected("an operation")),
            }
        }
    }

    /// Consumes an operation with one result.
    fn operation(&mut self, cursor: &mut Cursor<'_, 't>, depth: usize) -> Lowered<Value> {
        let start = *cursor;
        let Token::Word(name) = cursor.next() else {
            return Err(start.expected("an operation such as ckks.add"));
        };
        match name {
            "arith.constant" => return self.constant(cursor),
            "secret.generic" => return self.generic(cursor, depth),
            _ => {}
        }
        let is_known = |name| binary_of(name).is_some() || is_unary(name) || is_tensor(name);
        if !is_known(name) {
            return Err(start.error(format!("the operation {name} is not supported")));
        }
        let parts = parts(self.types, cursor)?;
        for of in parts.inputs.iter().chain(&parts.output) {
            self.checked(of, &start)?;
        }
        let values = parts.operands.iter().map(|name| self.value(cursor, *name).cloned());
        let values: Vec<Value> = values.collect::<Lowered<_>>()?;
        let failed = |reason: String| start.error(format!("{name}: {reason}"));
        if let Some(of) = binary_of(name) {
            let [a, b] = &values[..] else { return Err(failed("two operands are needed".into())) };
            return a.binary(b, of).map_err(failed);
        }
        let [a, others @ ..] = &values[..] else {
            return Err(failed("an operand is needed".into()));
        };
        match name {
            "tensor.from_elements" => Ok(Value::List(values.into())),
            "tensor.splat" => splat(a, &parts).map_err(failed),
            "tensor.extract" => extract(a, others, &parts).map_err(failed),
            _ => unary(name, a, others, &parts).map_err(failed),
        }
    }

    fn constant(&mut self, cursor: &mut Cursor<'_, 't>) -> Lowered<Value> {
        let start = *cursor;
        let numbers = numbers(cursor)?;
        cursor.expect(':')?;
        let of = self.types.read(cursor)?;
        if let Type::Other(shown) = &of {
            return Err(start.error(format!("a constant of the type {shown}")));
        }
        self.constants = self.constants.saturating_add(of.elements());
        if self.constants > MAX_CONSTANTS {
            return Err(start.error(format!("constants of more than {MAX_CONSTANTS} values")));
        }
        numbers.of(&of, cursor).map(Value::known)
    }

    /// Consumes `secret.generic(%a: T, …) {…} { ^block(%b: T, …): … } -> T`.
    fn generic(&mut self, cursor: &mut Cursor<'_, 't>, depth: usize) -> Lowered<Value> {
        let start = *cursor;
        if depth >= MAX_DEPTH {
            return Err(start.error(format!("regions are nested more than {MAX_DEPTH} times")));
        }
        let mut given = Vec::new();
        if cursor.take('(') {
            while !cursor.take(')') {
                let index = cursor.index();
                let name = cursor.name('%', "an operand")?;
                given.push(self.value(cursor, (name, index))?.clone());
                cursor.expect(':')?;
                self.types.read(cursor)?;
                if cursor.peek() == Token::Sign('{') {
                    cursor.skip()?;
                }
                cursor.take(',');
            }
        }
        if cursor.take_word("attrs") {
            cursor.take('=');
            cursor.skip()?;
        }
        cursor.expect('{')?;
        self.scopes.push(Vec::new());
        if let Token::Name('^', _) = cursor.peek() {
            cursor.next();
            let mut given = given.into_iter();
            if cursor.take('(') {
                while !cursor.take(')') {
                    let here = *cursor;
                    let name = cursor.name('%', "an argument of the block")?;
                    cursor.expect(':')?;
                    self.types.read(cursor)?;
                    cursor.take(',');
                    let value = given.next().ok_or_else(|| here.error("no operand for this"))?;
                    self.define(name, value, &here)?;
                }
            }
            cursor.expect(':')?;
        }
        let mut results = self.block(cursor, depth + 1)?;
        for name in self.scopes.pop().into_iter().flatten() {
            self.values.remove(name);
        }
        if cursor.take_token(Token::Arrow) {
            match cursor.peek() {
                Token::Sign('(') => cursor.skip()?,
                _ => self.types.read(cursor).map(|_| ())?,
            }
        }
        match (results.pop(), results.is_empty()) {
            (Some(result), true) => Ok(result),
            _ => Err(start.error("secret.generic must yield one value")),
        }
    }
}

/// Returns the operation of two operands with this name.
fn binary_of(name: &str) -> Option<Binary> {
    Some(match name {
        "ckks.add" | "ckks.add_plain" | "lwe.radd" | "lwe.radd_plain" | "arith.addf"
        | "arith.addi" => Binary::Add,
        "ckks.sub" | "ckks.sub_plain" | "lwe.rsub" | "lwe.rsub_plain" | "arith.subf"
        | "arith.subi" => Binary::Subtract,
        "ckks.mul" | "ckks.mul_plain" | "lwe.rmul" | "lwe.rmul_plain" | "arith.mulf"
        | "arith.muli" => Binary::Multiply,
        "arith.divf" => Binary::Divide,
        _ => return None,
    })
}

fn is_unary(name: &str) -> bool {
    matches!(
        name,
        "ckks.negate"
            | "lwe.rnegate"
            | "arith.negf"
            | "ckks.rotate"
            | "tensor_ext.rotate"
            | "ckks.bootstrap"
            | "mgmt.bootstrap"
    ) || is_identity(name)
}

fn is_tensor(name: &str) -> bool {
    matches!(name, "tensor.from_elements" | "tensor.splat" | "tensor.extract")
}

/// Returns `true` for operations that circuits do themselves, and for those that do nothing.
fn is_identity(name: &str) -> bool {
    matches!(
        name,
        "ckks.relinearize"
            | "ckks.rescale"
            | "ckks.level_reduce"
            | "lwe.rlwe_encode"
            | "mgmt.relinearize"
            | "mgmt.modreduce"
            | "mgmt.level_reduce"
            | "mgmt.level_reduce_min"
            | "mgmt.adjust_scale"
            | "mgmt.init"
            | "secret.reveal"
            | "secret.conceal"
    )
}

fn unary(name: &str, a: &Value, others: &[Value], parts: &Parts<'_>) -> Result<Value, String> {
    match name {
        "ckks.negate" | "lwe.rnegate" | "arith.negf" => match a {
            Value::Known(values) => Ok(Value::known(values.iter().map(|value| -value).collect())),
            other => other.map(&|of| -of),
        },
        "ckks.bootstrap" | "mgmt.bootstrap" => a.map(&Expression::bootstrap),
        "ckks.rotate" | "tensor_ext.rotate" => {
            let by = match others {
                [] => parts.integer("static_shift"),
                [by] => by.integer(),
                _ => None,
            };
            let by = by.ok_or("the shift must be a known integer")?;
            a.map(&|of| of.rotate(by))
        }
        "ckks.rescale" => {
            let moduli = |of: Option<&Type>| of.and_then(Type::ciphertext).and_then(|of| of.moduli);
            match (moduli(parts.inputs.first()), moduli(parts.output.as_ref())) {
                (Some(before), Some(after)) if after >= before => {
                    Err(format!("the result has {after} moduli, and its operand {before}"))
                }
                _ => Ok(a.clone()),
            }
        }
        "lwe.rlwe_encode" => match (a, &parts.output) {
            (Value::Known(_), Some(Type::Plaintext(_))) => Ok(a.clone()),
            (Value::Known(_), _) => Err("the result must be one plaintext".to_owned()),
            _ => Err("the operand must be known numbers".to_owned()),
        },
        _ => Ok(a.clone()),
    }
}

/// The same ciphertext or number in all places.
fn splat(a: &Value, parts: &Parts<'_>) -> Result<Value, String> {
    let Some(of @ Type::Tensor { element, .. }) = &parts.output else {
        return Err("the result must be a tensor".to_owned());
    };
    let count = of.elements();
    match (a, &**element) {
        (Value::Known(_), Type::Number | Type::Index) => {
            let number = a.number().ok_or("one number is needed")?;
            Ok(Value::known(vec![number; count]))
        }
        (_, Type::Ciphertext(_) | Type::Plaintext(_)) if count <= 1 << 14 => {
            Ok(Value::List(vec![a.clone(); count].into()))
        }
        _ => Err("this element type is not supported".to_owned()),
    }
}

/// A ciphertext of a tensor, a known number, or an encrypted value, which then is in the first
/// place.
fn extract(a: &Value, indices: &[Value], parts: &Parts<'_>) -> Result<Value, String> {
    let shape = match parts.inputs.first() {
        Some(Type::Tensor { shape, .. }) => &shape[..],
        _ => return Err("the operand must be a tensor".to_owned()),
    };
    if shape.len() != indices.len() {
        return Err(format!("{} indices for {} dimensions", indices.len(), shape.len()));
    }
    let mut place = 0;
    for (index, size) in indices.iter().zip(shape) {
        let index = index.integer().and_then(|index| usize::try_from(index).ok());
        let index = index.filter(|index| index < size);
        place = place * size + index.ok_or("an index must be known, and inside of the tensor")?;
    }
    match a {
        Value::List(values) => {
            values.get(place).cloned().ok_or_else(|| "no such ciphertext".to_owned())
        }
        Value::Known(values) => {
            let value = values.get(place).ok_or("no such value")?;
            Ok(Value::known(vec![*value]))
        }
        Value::Encrypted(of) if matches!(parts.inputs.first(), Some(of) if of.ciphertext().is_some()) => {
            Ok(Value::Encrypted(of.clone()))
        }
        Value::Encrypted(of) if place == 0 => Ok(Value::Encrypted(of.clone())),
        Value::Encrypted(of) => Ok(Value::Encrypted(of.rotate(place as i64))),
        Value::Key => Err("a key has no places".to_owned()),
    }
}
