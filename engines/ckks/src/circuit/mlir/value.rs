// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values of a program: encrypted, or known when the program is read.

use std::sync::Arc;

use crate::circuit::Expression;
use crate::encoding::Values;

/// A value.
#[derive(Clone)]
pub(super) enum Value {
    /// An encrypted vector.
    Encrypted(Expression),
    /// Known numbers: one, or one for each place.
    Known(Arc<[f64]>),
    /// A tensor of ciphertexts or of plaintexts.
    List(Arc<[Self]>),
    /// A key, which no operation needs to be given.
    Key,
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Value {
    pub fn known(values: Vec<f64>) -> Self {
        Self::Known(values.into())
    }

    /// Returns the value as an expression. Known numbers are public: the largest is their bound.
    pub fn expression(&self) -> Result<Expression, String> {
        match self {
            Self::Encrypted(of) => Ok(of.clone()),
            Self::Known(values) => match values[..] {
                [number] => Ok(number.into()),
                _ => {
                    let bound = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
                    let bound = if bound > 0.0 { bound } else { 1.0 };
                    Ok(Expression::plain(Values::from(&values[..]).within(bound)))
                }
            },
            Self::List(values) => match &values[..] {
                [one] => one.expression(),
                _ => Err(format!("a tensor of {} ciphertexts, not one", values.len())),
            },
            Self::Key => Err("a key cannot be an operand of this".to_owned()),
        }
    }

    /// Applies an operation to each ciphertext.
    pub fn map(&self, of: &dyn Fn(&Expression) -> Expression) -> Result<Self, String> {
        match self {
            Self::List(values) => {
                let values = values.iter().map(|value| value.map(of));
                Ok(Self::List(values.collect::<Result<Vec<_>, String>>()?.into()))
            }
            other => other.expression().map(|value| Self::Encrypted(of(&value))),
        }
    }

    /// Returns the only number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Known(values) if values.len() == 1 => Some(values[0]),
            _ => None,
        }
    }

    /// Returns the only number if it is an integer.
    pub fn integer(&self) -> Option<i64> {
        let number = self.number()?;
        let is_integer = number.fract() == 0.0 && number.abs() < 2f64.powi(53);
        is_integer.then_some(number as i64)
    }

    /// Returns the result of an operation, in each place. Known parts are computed at once.
    pub fn binary(&self, other: &Self, of: Binary) -> Result<Self, String> {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => known(a, b, of),
            (Self::List(a), Self::List(b)) => {
                if a.len() != b.len() {
                    return Err(format!("tensors of {} and {} ciphertexts", a.len(), b.len()));
                }
                let both = a.iter().zip(b.iter()).map(|(a, b)| a.binary(b, of));
                Ok(Self::List(both.collect::<Result<Vec<_>, String>>()?.into()))
            }
            (Self::List(a), b) if a.len() == 1 => a[0].binary(b, of),
            (a, Self::List(b)) if b.len() == 1 => a.binary(&b[0], of),
            (_, Self::Known(b)) if of == Binary::Divide => {
                self.binary(&known(&[1.0], b, of)?, Binary::Multiply)
            }
            _ => {
                let (a, b) = (self.expression()?, other.expression()?);
                Ok(Self::Encrypted(match of {
                    Binary::Add => a + b,
                    Binary::Subtract => a - b,
                    Binary::Multiply => a * b,
                    Binary::Divide => {
                        return Err("a quotient by a ciphertext needs an interval".to_owned())
                    }
                }))
            }
        }
    }
}

fn known(a: &[f64], b: &[f64], of: Binary) -> Result<Value, String> {
    let each = |a: f64, b: f64| match of {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
    };
    let values: Vec<f64> = match (a, b) {
        ([a], b) => b.iter().map(|b| each(*a, *b)).collect(),
        (a, [b]) => a.iter().map(|a| each(*a, *b)).collect(),
        (a, b) if a.len() == b.len() => a.iter().zip(b).map(|(a, b)| each(*a, *b)).collect(),
        (a, b) => return Err(format!("vectors of {} and {} values", a.len(), b.len())),
    };
    match values.iter().all(|value| value.is_finite()) {
        true => Ok(Value::known(values)),
        false => Err("the result is not finite".to_owned()),
    }
}
