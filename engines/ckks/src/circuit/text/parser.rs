// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses expressions over ciphertexts into a list of steps for a stack, so that long expressions
//! need no deep recursion.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed { ("*" | "/") signed }
//! signed  = "-" signed | power
//! power   = atom [ "^" integer ]
//! atom    = number [ "i" ] | name | "(" sum ")"
//!         | "rot" "(" sum "," ["-"] integer ")"
//!         | ("conj" | "square" | "mean" | "bootstrap") "(" sum ")"
//!         | "sum" "(" sum [ "," integer ] ")"
//!         | "bound" "(" sum "," real ")" | "within" "(" sum "," real "," real ")"
//!         | function "(" sum [ "," real "," real ] ")"
//! real    = ["-"] number
//! ```

use super::actions::{Action, ExpressionError, Step, FUNCTIONS};
use crate::complex::Complex;

/// The largest nesting depth of parentheses, functions and signs.
const MAX_DEPTH: usize = 200;

/// The names that are not functions of real numbers.
const OPERATIONS: [&str; 8] =
    ["rot", "conj", "square", "sum", "mean", "bound", "within", "bootstrap"];

/// Parses an expression into steps that leave one value on the stack.
pub fn parse(text: &str) -> Result<Vec<Step>, ExpressionError> {
    let characters = text.chars().collect();
    let mut parser = Parser { characters, at: 0, depth: 0, steps: Vec::new() };
    parser.sum()?;
    match parser.peek() {
        None => Ok(parser.steps),
        Some(')') => Err(parser.error("this ) has no matching (")),
        Some(other) => Err(parser.error(format!("expected +, -, *, / or ^, got {other:?}"))),
    }
}

struct Parser {
    characters: Vec<char>,
    at: usize,
    depth: usize,
    steps: Vec<Step>,
}

impl Parser {
    /// Returns the next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        while self.characters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.characters.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, wanted: char, after: &str) -> Result<(), ExpressionError> {
        if self.take(wanted) {
            return Ok(());
        }
        let got = self.peek().map_or("the end".to_owned(), |got| format!("{got:?}"));
        Err(self.error(format!("expected {wanted:?} after {after}, got {got}")))
    }

    fn error(&self, reason: impl Into<String>) -> ExpressionError {
        ExpressionError { column: self.at + 1, reason: reason.into() }
    }

    fn push(&mut self, column: usize, action: Action) {
        self.steps.push(Step { action, column });
    }

    fn sum(&mut self) -> Result<(), ExpressionError> {
        self.product()?;
        while let Some(sign @ ('+' | '-')) = self.peek() {
            self.at += 1;
            let column = self.at;
            self.product()?;
            self.push(column, if sign == '+' { Action::Add } else { Action::Subtract });
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), ExpressionError> {
        self.signed()?;
        while let Some(sign @ ('*' | '/')) = self.peek() {
            self.at += 1;
            let column = self.at;
            self.signed()?;
            self.push(column, if sign == '*' { Action::Multiply } else { Action::Divide });
        }
        Ok(())
    }

    fn signed(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("more than {MAX_DEPTH} nested parentheses")));
        }
        if self.take('-') {
            let column = self.at;
            self.signed()?;
            self.push(column, Action::Negate);
        } else {
            self.power()?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn power(&mut self) -> Result<(), ExpressionError> {
        self.atom()?;
        if !self.take('^') {
            return Ok(());
        }
        let column = self.at;
        self.peek();
        let start = self.at;
        let exponent = self.run(|c| c.is_ascii_digit());
        let is_ended =
            !self.characters.get(self.at).is_some_and(|c| c.is_alphanumeric() || *c == '.');
        let exponent = exponent.parse().ok().filter(|n| *n > 0 && is_ended);
        let Some(exponent) = exponent else {
            self.at = start;
            return Err(
                self.error(format!("an exponent must be an integer from 1 to {}", u32::MAX))
            );
        };
        self.push(column, Action::Power(exponent));
        if self.take('^') {
            self.at -= 1;
            return Err(self.error("a power of a power: write (x^2)^3 or x^6"));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), ExpressionError> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.sum()?;
                self.expect(')', "the part in parentheses")
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.name(),
            Some(other) => {
                Err(self.error(format!("expected a number, a name or (, got {other:?}")))
            }
            None => Err(self.error("expected a number, a name or (, got the end")),
        }
    }

    /// Consumes and returns the characters of a kind from here on.
    fn run(&mut self, is_of: impl Fn(char) -> bool) -> String {
        let run: String =
            self.characters[self.at..].iter().copied().take_while(|c| is_of(*c)).collect();
        self.at += run.chars().count();
        run
    }

    fn number(&mut self) -> Result<(), ExpressionError> {
        let column = self.at + 1;
        let number = self.literal()?;
        self.push(column, Action::Number(number));
        Ok(())
    }

    /// Parses a real number with its sign.
    fn real(&mut self) -> Result<f64, ExpressionError> {
        let is_negative = self.take('-');
        self.peek();
        let start = self.at;
        let number = self.literal()?;
        if number.im != 0.0 {
            self.at = start;
            return Err(self.error("an interval needs real numbers"));
        }
        Ok(if is_negative { -number.re } else { number.re })
    }

    fn literal(&mut self) -> Result<Complex, ExpressionError> {
        let start = self.at;
        let mut text = self.run(|c| c.is_ascii_digit() || c == '.');
        let next = |parser: &Self, by: usize| parser.characters.get(parser.at + by).copied();
        if let Some('e' | 'E') = next(self, 0) {
            let sign = usize::from(matches!(next(self, 1), Some('+' | '-')));
            if next(self, 1 + sign).is_some_and(|c| c.is_ascii_digit()) {
                text.extend(&self.characters[self.at..=self.at + sign]);
                self.at += 1 + sign;
                text += &self.run(|c| c.is_ascii_digit());
            }
        }
        let is_imaginary = next(self, 0) == Some('i');
        self.at += usize::from(is_imaginary);
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
        let is_ended = !next(self, 0).is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let Some(value) = value.filter(|_| is_ended) else {
            text += &self.run(|c| c.is_alphanumeric() || c == '_' || c == '.');
            self.at = start;
            return Err(self.error(format!("{text:?} is not a number")));
        };
        Ok(if is_imaginary { Complex::new(0.0, value) } else { Complex::new(value, 0.0) })
    }

    fn name(&mut self) -> Result<(), ExpressionError> {
        let start = self.at;
        let name = self.run(|c| c.is_ascii_alphanumeric() || c == '_');
        if self.peek() != Some('(') {
            self.push(start + 1, Action::Name(name));
            return Ok(());
        }
        let function = FUNCTIONS.iter().find(|function| function.name == name);
        if function.is_none() && !OPERATIONS.contains(&name.as_str()) {
            self.at = start;
            let names = FUNCTIONS.map(|function| function.name).join(", ");
            let reason =
                format!("no function {name}; the functions are {}, {names}", OPERATIONS.join(", "));
            return Err(self.error(reason));
        }
        self.at += 1;
        self.sum()?;
        let action = match (name.as_str(), function) {
            (_, Some(function)) => Action::Function(*function, self.interval()?),
            ("rot", _) => {
                self.expect(',', "the first argument of rot(x, places)")?;
                Action::Rotate(self.integer()?)
            }
            ("sum", _) => Action::Sum(if self.take(',') { Some(self.count()?) } else { None }),
            ("mean", _) => Action::Mean,
            ("bound", _) => {
                self.expect(',', "the first argument of bound(x, largest)")?;
                Action::Bound(self.real()?)
            }
            ("within", _) => {
                self.expect(',', "the first argument of within(x, low, high)")?;
                let low = self.real()?;
                self.expect(',', "the second argument of within(x, low, high)")?;
                Action::Within(low, self.real()?)
            }
            ("conj", _) => Action::Conjugate,
            ("bootstrap", _) => Action::Bootstrap,
            _ => Action::Square,
        };
        self.expect(')', &format!("the arguments of {name}"))?;
        self.push(start + 1, action);
        Ok(())
    }

    /// Parses the interval on which a function is approximated, if it is given.
    fn interval(&mut self) -> Result<Option<(f64, f64)>, ExpressionError> {
        if !self.take(',') {
            return Ok(None);
        }
        let from = self.real()?;
        self.expect(',', "the start of the interval")?;
        Ok(Some((from, self.real()?)))
    }

    /// Parses the number of values to add up.
    fn count(&mut self) -> Result<usize, ExpressionError> {
        self.peek();
        let start = self.at;
        usize::try_from(self.integer()?).map_err(|_| {
            self.at = start;
            self.error("a number of values must not be below 0")
        })
    }

    fn integer(&mut self) -> Result<i64, ExpressionError> {
        let is_negative = self.take('-');
        self.peek();
        let start = self.at;
        let digits = self.run(|c| c.is_ascii_digit());
        let number = digits.parse::<i64>().map(|number| if is_negative { -number } else { number });
        number.map_err(|_| {
            self.at = start;
            self.error("expected an integer")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the value of an expression of real numbers. x is 3, and a rotation adds its steps.
    fn value(text: &str) -> Result<f64, ExpressionError> {
        let mut stack: Vec<f64> = Vec::new();
        for step in parse(text)? {
            let mut pop = || stack.pop().unwrap();
            let value = match step.action {
                Action::Number(number) => number.re + 1000.0 * number.im,
                Action::Name(name) => f64::from(name.len() as u32) + 2.0,
                Action::Add => pop() + pop(),
                Action::Subtract => -pop() + pop(),
                Action::Multiply => pop() * pop(),
                Action::Divide => {
                    let divisor = pop();
                    pop() / divisor
                }
                Action::Negate => -pop(),
                Action::Power(n) => pop().powi(n as i32),
                Action::Mean => pop() + 0.125,
                Action::Within(low, high) => pop() + low + 7.0 * high,
                Action::Rotate(by) => pop() + by as f64,
                Action::Conjugate => pop() + 0.5,
                Action::Square => pop().powi(2),
                Action::Sum(count) => pop() * count.unwrap_or(11) as f64,
                Action::Bound(magnitude) => pop() + 7.0 * magnitude,
                Action::Bootstrap => pop() + 0.25,
                Action::Function(function, interval) => {
                    let (from, to) = interval.unwrap_or((0.0, 0.0));
                    (function.value)(pop()) + from + 10.0 * to
                }
            };
            stack.push(value);
        }
        assert_eq!(stack.len(), 1, "{text}");
        Ok(stack[0])
    }

    #[test]
    fn expressions_have_the_usual_order() {
        for (text, expected) in [
            ("x", 3.0),
            ("2*x+1", 7.0),
            ("1 - 2 - 3", -4.0),
            ("2 - 3 * 4", -10.0),
            ("(2 - 3) * 4", -4.0),
            ("-x * -x", 9.0),
            ("--x", 3.0),
            ("-square(x) + 1e1", 1.0),
            (" rot( x , 5 ) * rot(x,-1)", 16.0),
            ("conj(rot(x*x, - 2))", 7.5),
            ("1.5i + .25 + 2.", 1502.25),
            ("2e-1*x", 0.6000000000000001),
            ("rot*2", 10.0),
            ("sum(x, 4) - bound( x, -1.5 )", 19.5),
            ("sum(x) + mean( sum )", 38.125),
            ("within(x, -1 , .5)", 5.5),
            ("x/4/2 * 8", 3.0),
            ("12 / x * 2 - 1", 7.0),
            ("-x^2", -9.0),
            ("(-x)^2", 9.0),
            ("2*x ^ 3/ 2^2", 13.5),
            ("x^1 + rot(x^2, 1)^2", 103.0),
            ("--x^2", 9.0),
            ("bootstrap(x*sum)", 15.25),
            ("sqrt(x + 1)", 2.0),
            ("inv( x-1 , - 4, .5e1 )", 46.5),
            ("sigmoid(0*x, -8, 8) + exp(log(1))", 73.5),
            ("_a1", 5.0),
            ("((((x))))", 3.0),
        ] {
            assert_eq!(value(text).unwrap(), expected, "{text}");
        }
        // Long expressions are not deep.
        let long = format!("0{}", " + x".repeat(100_000));
        assert_eq!(value(&long).unwrap(), 300_000.0);
    }

    #[test]
    fn errors_tell_the_column() {
        for (text, column, reason) in [
            ("", 1, "got the end"),
            ("x +", 4, "got the end"),
            ("x + * y", 5, "got '*'"),
            ("x y", 3, "expected +, -, *, / or ^, got 'y'"),
            ("(x + 1", 7, "expected ')' after the part in parentheses, got the end"),
            ("x)", 2, "this ) has no matching ("),
            ("x + sec(y)", 5, "no function sec; the functions are rot"),
            ("sin(x, 1)", 9, "expected ',' after the start of the interval, got ')'"),
            ("sin(x, y, 1)", 8, "\"y\" is not a number"),
            ("sin(x, 1, 2i)", 11, "real numbers"),
            ("sin(x, 1, 2, 3)", 12, "expected ')' after the arguments of sin, got ','"),
            ("rot(x)", 6, "expected ',' after the first argument of rot(x, places), got ')'"),
            ("rot(x, y)", 8, "expected an integer"),
            ("rot(x, 1.5)", 9, "expected ')' after the arguments of rot, got '.'"),
            ("rot(x, 99999999999999999999)", 8, "expected an integer"),
            ("sum(x,)", 7, "expected an integer"),
            ("mean(x, 2)", 7, "expected ')' after the arguments of mean, got ','"),
            ("within(x, 2)", 12, "the second argument of within(x, low, high), got ')'"),
            ("x^", 3, "an exponent must be an integer from 1"),
            ("x^y", 3, "an exponent must be an integer from 1"),
            ("x^-2", 3, "an exponent must be an integer from 1"),
            ("x^0", 3, "an exponent must be an integer from 1"),
            ("x^ 1.5", 4, "an exponent must be an integer from 1"),
            ("x^2i", 3, "an exponent must be an integer from 1"),
            ("x^4294967296", 3, "an exponent must be an integer from 1"),
            ("x^(2)", 3, "an exponent must be an integer from 1"),
            ("x^2^3", 4, "(x^2)^3 or x^6"),
            ("x /* 2", 4, "got '*'"),
            ("x ** 2", 4, "got '*'"),
            ("sum(x, -4)", 8, "must not be below 0"),
            ("bound(x, y)", 10, "\"y\" is not a number"),
            ("bootstrap()", 11, "got ')'"),
            ("conj(x, 1)", 7, "expected ')' after the arguments of conj, got ','"),
            ("1.2.3", 1, "\"1.2.3\" is not a number"),
            ("2x", 1, "\"2x\" is not a number"),
            ("1e999", 1, "is not a number"),
            ("1e", 1, "\"1e\" is not a number"),
            (".", 1, "is not a number"),
            ("x + é", 5, "got 'é'"),
            ("x % 2", 3, "got '%'"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.reason.contains(reason), "{text}: {error}");
            assert_eq!(error.column, column, "{text}: {error}");
        }
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "conj(".repeat(100_000)] {
            assert!(parse(&deep).unwrap_err().reason.contains("nested parentheses"));
        }
    }

    /// Generates an expression as text with all parentheses, and its value.
    fn expression() -> impl Strategy<Value = (String, f64)> {
        let leaf = prop_oneof![
            Just(("x".to_owned(), 3.0)),
            (0u32..100).prop_map(|n| (n.to_string(), f64::from(n))),
            (0u32..100).prop_map(|n| (format!("{n}.5"), f64::from(n) + 0.5)),
        ];
        leaf.prop_recursive(5, 30, 2, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone())
                    .prop_map(|(a, b)| (format!("({}+ {})", a.0, b.0), a.1 + b.1)),
                (inner.clone(), inner.clone())
                    .prop_map(|(a, b)| (format!("({} -{})", a.0, b.0), a.1 - b.1)),
                (inner.clone(), inner.clone())
                    .prop_map(|(a, b)| (format!("{}*{}", a.0, b.0), a.1 * b.1))
                    .prop_map(|(text, value)| (format!("({text})"), value)),
                inner.clone().prop_map(|a| (format!("(- {})", a.0), -a.1)),
                (inner.clone(), 1i32..3).prop_map(|(a, n)| (format!("({})^{n}", a.0), a.1.powi(n))),
                (inner.clone(), 1u32..9)
                    .prop_map(|(a, n)| (format!("({}/ {n})", a.0), a.1 / f64::from(n))),
                (inner.clone(), -9i64..9)
                    .prop_map(|(a, k)| (format!("rot({}, {k})", a.0), a.1 + k as f64)),
                inner.prop_map(|a| (format!("conj( {})", a.0), a.1 + 0.5)),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_expression_is_read((text, expected) in expression()) {
            let got = value(&text).unwrap();
            prop_assert!((got - expected).abs() <= 1e-9 * expected.abs(), "{text}: {got}, {expected}");
        }

        #[test]
        fn any_text_is_read_or_refused_where_it_is_wrong(text in "[-+*/^(), 0-9.eixyrotcnj_%é]{0,40}") {
            match parse(&text) {
                Ok(_) => prop_assert!(value(&text).is_ok()),
                Err(error) => {
                    prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{error}");
                }
            }
        }
    }
}
