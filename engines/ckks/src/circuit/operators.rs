// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `+`, `-` and `*` between expressions, numbers and unencrypted vectors.

use std::ops::{Add, Mul, Neg, Sub};

use super::expression::{Expression, NodeKind};
use super::unary::Unary;
use crate::complex::Complex;

impl From<&Expression> for Expression {
    fn from(other: &Self) -> Self {
        other.clone()
    }
}

impl From<Complex> for Expression {
    fn from(number: Complex) -> Self {
        Self::plain(&[number])
    }
}

impl From<f64> for Expression {
    fn from(number: f64) -> Self {
        Complex::from(number).into()
    }
}

impl From<i32> for Expression {
    fn from(number: i32) -> Self {
        f64::from(number).into()
    }
}

impl From<Vec<Complex>> for Expression {
    fn from(values: Vec<Complex>) -> Self {
        Self::plain(&values)
    }
}

impl From<&[Complex]> for Expression {
    fn from(values: &[Complex]) -> Self {
        Self::plain(values)
    }
}

impl From<&Vec<Complex>> for Expression {
    fn from(values: &Vec<Complex>) -> Self {
        values.as_slice().into()
    }
}

impl Neg for Expression {
    type Output = Self;

    fn neg(self) -> Self {
        -&self
    }
}

impl Neg for &Expression {
    type Output = Expression;

    fn neg(self) -> Expression {
        Expression::new(NodeKind::Unary(Unary::Negate), vec![self.clone()])
    }
}

/// An operator with an expression on the left and anything that converts to one on the right.
macro_rules! operator {
    ($trait:ident, $method:ident, $kind:ident) => {
        impl<T: Into<Expression>> $trait<T> for Expression {
            type Output = Expression;

            fn $method(self, other: T) -> Expression {
                Expression::new(NodeKind::$kind, vec![self, other.into()])
            }
        }

        impl<T: Into<Expression>> $trait<T> for &Expression {
            type Output = Expression;

            fn $method(self, other: T) -> Expression {
                Expression::new(NodeKind::$kind, vec![self.clone(), other.into()])
            }
        }
    };
    // Another type on the left.
    ($trait:ident, $method:ident, $kind:ident, $($left:ty),+) => {
        operator!($trait, $method, $kind);
        $(
            impl $trait<Expression> for $left {
                type Output = Expression;

                fn $method(self, other: Expression) -> Expression {
                    Expression::new(NodeKind::$kind, vec![self.into(), other])
                }
            }

            impl $trait<&Expression> for $left {
                type Output = Expression;

                fn $method(self, other: &Expression) -> Expression {
                    Expression::new(NodeKind::$kind, vec![self.into(), other.clone()])
                }
            }
        )+
    };
}

operator!(Add, add, Add, i32, f64, Complex, Vec<Complex>, &[Complex]);
operator!(Sub, sub, Subtract, i32, f64, Complex, Vec<Complex>, &[Complex]);
operator!(Mul, mul, Multiply, i32, f64, Complex, Vec<Complex>, &[Complex]);
