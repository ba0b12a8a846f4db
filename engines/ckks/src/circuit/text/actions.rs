// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions over ciphertexts as steps for a stack, and their conversion to [`Expression`].

use crate::circuit::Expression;
use crate::complex::Complex;
use crate::polynomial::Accuracy;

/// An operation on the top of the stack.
#[derive(Clone, Debug)]
pub enum Action {
    /// Pushes a number.
    Number(Complex),
    /// Pushes a ciphertext.
    Name(String),
    /// Pops two values, pushes their sum.
    Add,
    /// Pops two values, pushes the second from the top minus the top.
    Subtract,
    /// Pops two values, pushes their product.
    Multiply,
    /// Pops two values, pushes the second from the top divided by the top, which must be a number.
    Divide,
    /// Changes the sign.
    Negate,
    /// Raises to an integer power, 1 or more.
    Power(u32),
    /// Rotates to the left.
    Rotate(i64),
    /// Conjugates.
    Conjugate,
    /// Squares.
    Square,
    /// Sums this number of values from each place on, or all values.
    Sum(Option<usize>),
    /// Computes the mean of all values.
    Mean,
    /// Declares the largest absolute value.
    Bound(f64),
    /// Declares the interval of real values.
    Within(f64, f64),
    /// Bootstraps.
    Bootstrap,
    /// Applies a function of real numbers, optionally on a given interval.
    Function(Function, Option<(f64, f64)>),
}

/// A function that a polynomial approximates.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: fn(f64) -> f64,
}

/// All functions.
pub const FUNCTIONS: [Function; 8] = [
    Function { name: "exp", value: f64::exp },
    Function { name: "log", value: f64::ln },
    Function { name: "sin", value: f64::sin },
    Function { name: "cos", value: f64::cos },
    Function { name: "tanh", value: f64::tanh },
    Function { name: "sigmoid", value: |x| 1.0 / (1.0 + (-x).exp()) },
    Function { name: "sqrt", value: f64::sqrt },
    Function { name: "inv", value: |x| 1.0 / x },
];

/// An action and its position in the text.
#[derive(Clone, Debug)]
pub struct Step {
    /// The operation.
    pub action: Action,
    /// The column, from 1.
    pub column: usize,
}

/// The fault of an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the expression, column {column}: {reason}")]
pub struct ExpressionError {
    /// The column, from 1.
    pub column: usize,
    /// The fault.
    pub reason: String,
}

/// Returns the names of inputs, each once, in the order of their first use.
pub fn names(steps: &[Step]) -> Vec<&str> {
    let mut names = Vec::new();
    for Step { action, .. } in steps {
        if let Action::Name(name) = action {
            if !names.contains(&name.as_str()) {
                names.push(name.as_str());
            }
        }
    }
    names
}

/// Returns the expression of the steps, with functions approximated within an error. Parts are
/// labeled with their columns.
///
/// # Errors
/// For a quotient by an encrypted value or by 0, and for an operation that needs a ciphertext.
pub fn expression_of(steps: &[Step], error: f64) -> Result<Expression, ExpressionError> {
    let mut stack: Vec<Operand> = Vec::new();
    for Step { action, column } in steps {
        let fail = |reason: &str| ExpressionError { column: *column, reason: reason.to_owned() };
        let mut pop = || stack.pop().ok_or_else(|| fail("an operand is missing"));
        let operand = match action {
            Action::Number(number) => Operand::number(*number),
            Action::Name(name) => Operand { part: Expression::input(name.as_str()), number: None },
            Action::Add | Action::Subtract | Action::Multiply | Action::Divide => {
                let right = pop()?;
                binary(action, pop()?, right).map_err(fail)?
            }
            unary => pop()?.unary(unary, error).map_err(fail)?,
        };
        let part = operand.part.labeled(format!("the expression, column {column}"));
        stack.push(Operand { part, ..operand });
    }
    let reason = "the text is empty".to_owned();
    stack.pop().map(|operand| operand.part).ok_or(ExpressionError { column: 1, reason })
}

/// A part of an expression, with its value if nothing in it is encrypted. The value is NaN if it is
/// undefined, as for a real function of a complex number; planning then reports the error.
struct Operand {
    part: Expression,
    number: Option<Complex>,
}

impl Operand {
    fn number(number: Complex) -> Self {
        Self { part: number.into(), number: Some(number) }
    }

    fn unary(self, action: &Action, error: f64) -> Result<Self, &'static str> {
        let Self { part, number } = self;
        let map = |of: &dyn Fn(Complex) -> Complex| number.map(of);
        let (part, number) = match action {
            Action::Negate => (-part, map(&|a| -a)),
            Action::Power(n) => (part.powi(*n), map(&|a| power(a, *n))),
            Action::Square => (part.powi(2), map(&|a| a * a)),
            Action::Conjugate => (part.conjugate(), map(&Complex::conjugate)),
            Action::Rotate(by) => (part.rotate(*by), number),
            Action::Sum(None) if number.is_some() => {
                return Err(
                    "sum(x) needs a ciphertext, and this is a number: give a count with sum(x, n)",
                )
            }
            Action::Sum(None) => (part.sum(), None),
            Action::Sum(Some(count)) => (part.inner_sum(*count, 1), map(&|a| a * (*count as f64))),
            Action::Mean => (part.mean(), number),
            Action::Bound(magnitude) => (part.bounded(*magnitude), number),
            Action::Within(low, high) => (part.between(*low, *high), number),
            Action::Bootstrap => (part.bootstrap(), number),
            Action::Function(of, interval) => {
                let accuracy = Accuracy::Error(error);
                let part = match interval {
                    None => part.map(of.value, accuracy),
                    Some(interval) => part.evaluate_function(of.value, *interval, accuracy),
                };
                let value = |a: Complex| if a.im == 0.0 { (of.value)(a.re) } else { f64::NAN };
                (part, map(&|a| value(a).into()))
            }
            _ => return Err("an operand is missing"),
        };
        Ok(Self { part, number })
    }
}

fn binary(action: &Action, left: Operand, right: Operand) -> Result<Operand, &'static str> {
    let both = left.number.zip(right.number);
    let of = |of: fn(Complex, Complex) -> Complex| both.map(|(a, b)| of(a, b));
    Ok(match action {
        Action::Add => Operand { part: left.part + right.part, number: of(|a, b| a + b) },
        Action::Subtract => Operand { part: left.part - right.part, number: of(|a, b| a - b) },
        Action::Divide => {
            let Some(divisor) = right.number else {
                return Err(
                    "a quotient by a ciphertext: write a/b as a*inv(b, low, high), with an \
                            interval that contains all values of b and not 0",
                );
            };
            if divisor == Complex::default() {
                return Err("a quotient by 0");
            }
            if !divisor.is_finite() {
                return Err("a quotient by a number that is not finite");
            }
            match left.number {
                Some(number) => Operand::number(quotient(number, divisor)),
                None => {
                    let inverse = quotient(1.0.into(), divisor);
                    Operand { part: left.part * inverse, number: None }
                }
            }
        }
        _ => Operand { part: left.part * right.part, number: of(|a, b| a * b) },
    })
}

/// Returns the quotient of two numbers. The second is not 0.
fn quotient(a: Complex, b: Complex) -> Complex {
    if b.im == 0.0 {
        return Complex::new(a.re / b.re, a.im / b.re);
    }
    // Both divided by the divisor's absolute value, whose square may overflow.
    let length = b.abs();
    let turn = Complex::new(b.re / length, -b.im / length);
    let turned = a * turn;
    Complex::new(turned.re / length, turned.im / length)
}

/// Returns a power by repeated squaring.
fn power(a: Complex, n: u32) -> Complex {
    let (mut result, mut square, mut rest) = (Complex::from(1.0), a, n);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result * square;
        }
        square = square * square;
        rest >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::parser::parse;
    use super::*;
    use proptest::prelude::*;

    fn complex() -> impl Strategy<Value = Complex> {
        (-9.0..9.0f64, -9.0..9.0f64).prop_map(|(re, im)| Complex::new(re, im))
    }

    proptest! {
        #[test]
        fn quotients_are_inverse_to_products(a in complex(), b in complex()) {
            prop_assume!(b.abs() > 1e-3);
            let back = quotient(a, b) * b - a;
            prop_assert!(back.abs() < 1e-12, "{back:?}");
        }

        #[test]
        fn powers_are_repeated_products(a in complex(), n in 1u32..20) {
            let expected = (0..n).fold(Complex::from(1.0), |product, _| product * a);
            prop_assert!((power(a, n) - expected).abs() <= 1e-12 * expected.abs());
        }
    }

    #[test]
    fn what_cannot_be_divided_is_said() {
        for (text, column, reason) in [
            ("1/x", 2, "a*inv(b, low, high)"),
            ("x/(1 + 0*x)", 2, "a*inv(b, low, high)"),
            ("x/y/2", 2, "quotient by a ciphertext"),
            ("x/(2 - 4/2)", 2, "a quotient by 0"),
            ("2 + x/log(0)", 6, "that is not finite"),
            ("x/sin(1i)", 2, "that is not finite"),
            ("x*sum(3)", 3, "sum(x, n)"),
        ] {
            let error = expression_of(&parse(text).unwrap(), 1e-4).unwrap_err();
            assert!(error.reason.contains(reason), "{text}: {error}");
            assert_eq!(error.column, column, "{text}: {error}");
        }
        for text in ["x/2", "x/1i", "1/2*x", "x/(conj(2i) + sum(1, 3) - mean(2)^3)"] {
            assert!(expression_of(&parse(text).unwrap(), 1e-4).is_ok(), "{text}");
        }
    }
}
