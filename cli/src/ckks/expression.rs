// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions over ciphertexts as text: read into a list of steps for a stack, so that long ones need
//! no deep calls, and from there into what is planned and run.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed { "*" signed }
//! signed  = "-" signed | atom
//! atom    = number [ "i" ] | name | "(" sum ")"
//!         | "rot" "(" sum "," ["-"] integer ")" | ("conj" | "square" | "bootstrap") "(" sum ")"
//!         | "sum" "(" sum "," integer ")" | "bound" "(" sum "," real ")"
//!         | function "(" sum [ "," real "," real ] ")"
//! real    = ["-"] number
//! ```

use halimede_ckks::{Accuracy, Complex, Expression};

/// How deep parentheses, functions and signs may be nested.
const MAX_DEPTH: usize = 200;

/// What is done with the top of the stack.
#[derive(Clone, Debug)]
pub enum Action {
    /// Puts a number on it.
    Number(Complex),
    /// Puts a ciphertext on it.
    Name(String),
    /// Takes two, puts their sum.
    Add,
    /// Takes two, puts the second from the top less the top.
    Subtract,
    /// Takes two, puts their product.
    Multiply,
    /// Changes the sign.
    Negate,
    /// Turns to the left.
    Rotate(i64),
    /// Conjugates.
    Conjugate,
    /// Squares.
    Square,
    /// Sums so many slots from each on.
    Sum(usize),
    /// Says how large values are at most.
    Bound(f64),
    /// Bootstraps.
    Bootstrap,
    /// A function of real numbers, on an interval where one is given.
    Function(Function, Option<(f64, f64)>),
}

/// A function that a polynomial stands for.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: fn(f64) -> f64,
}

/// What is no function of real numbers.
const OPERATIONS: [&str; 6] = ["rot", "conj", "square", "sum", "bound", "bootstrap"];

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

/// An action, and where it stands in the text.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// The column, from 1.
    pub column: usize,
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the expression, column {column}: {reason}")]
pub struct ExpressionError {
    /// The column, from 1.
    pub column: usize,
    /// What is wrong there.
    pub reason: String,
}

/// The steps of an expression, which leave one value on the stack.
pub fn parse(text: &str) -> Result<Vec<Step>, ExpressionError> {
    let characters = text.chars().collect();
    let mut parser = Parser { characters, at: 0, depth: 0, steps: Vec::new() };
    parser.sum()?;
    match parser.peek() {
        None => Ok(parser.steps),
        Some(')') => Err(parser.error("there is no ( for this )")),
        Some(other) => Err(parser.error(format!("{other:?} where +, - or * should be"))),
    }
}

/// What the steps compute, functions within an error. Parts are called by their columns.
///
/// # Errors
/// Where a step lacks an operand, which those of [`parse`] do not.
pub fn expression_of(steps: &[Step], error: f64) -> Result<Expression, ExpressionError> {
    let mut stack: Vec<Expression> = Vec::new();
    for Step { action, column } in steps {
        let reason = "an operand is missing".to_owned();
        let missing = || ExpressionError { column: *column, reason: reason.clone() };
        let mut pop = || stack.pop().ok_or_else(missing);
        let value = match action {
            Action::Number(number) => (*number).into(),
            Action::Name(name) => Expression::input(name.as_str()),
            Action::Add => {
                let right = pop()?;
                pop()? + right
            }
            Action::Subtract => {
                let right = pop()?;
                pop()? - right
            }
            Action::Multiply => {
                let right = pop()?;
                pop()? * right
            }
            Action::Negate => -pop()?,
            Action::Rotate(by) => pop()?.rotate(*by),
            Action::Conjugate => pop()?.conjugate(),
            Action::Square => pop()?.powi(2),
            Action::Sum(count) => pop()?.inner_sum(*count, 1),
            Action::Bound(magnitude) => pop()?.bounded(*magnitude),
            Action::Bootstrap => pop()?.bootstrap(),
            Action::Function(of, None) => pop()?.map(of.value, Accuracy::Error(error)),
            Action::Function(of, Some(interval)) => {
                pop()?.evaluate_function(of.value, *interval, Accuracy::Error(error))
            }
        };
        stack.push(value.labelled(format!("the expression, column {column}")));
    }
    let reason = "it is empty".to_owned();
    stack.pop().ok_or(ExpressionError { column: 1, reason })
}

struct Parser {
    characters: Vec<char>,
    at: usize,
    depth: usize,
    steps: Vec<Step>,
}

impl Parser {
    /// The next character that is no space.
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
        Err(self.error(format!("{got} where {wanted:?} should be, after {after}")))
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
        while self.take('*') {
            let column = self.at;
            self.signed()?;
            self.push(column, Action::Multiply);
        }
        Ok(())
    }

    fn signed(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("more than {MAX_DEPTH} parentheses in each other")));
        }
        if self.take('-') {
            let column = self.at;
            self.signed()?;
            self.push(column, Action::Negate);
        } else {
            self.atom()?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Result<(), ExpressionError> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.sum()?;
                self.expect(')', "what began with (")
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.name(),
            Some(other) => {
                Err(self.error(format!("{other:?} where a number, a name or ( should be")))
            }
            None => Err(self.error("it ends where a number, a name or ( should be")),
        }
    }

    /// The characters from here on that are of a kind.
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

    /// A real number with its sign.
    fn real(&mut self) -> Result<f64, ExpressionError> {
        let is_negative = self.take('-');
        self.peek();
        let start = self.at;
        let number = self.literal()?;
        if number.im != 0.0 {
            self.at = start;
            return Err(self.error("an interval is of real numbers"));
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
            return Err(self.error(format!("{text:?} is no number")));
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
                format!("no function {name}; there are {}, {names}", OPERATIONS.join(", "));
            return Err(self.error(reason));
        }
        self.at += 1;
        self.sum()?;
        let action = match (name.as_str(), function) {
            (_, Some(function)) => Action::Function(*function, self.interval()?),
            ("rot", _) => {
                self.expect(',', "what rot turns; then by how many slots")?;
                Action::Rotate(self.integer()?)
            }
            ("sum", _) => {
                self.expect(',', "what sum adds up; then how many slots")?;
                self.peek();
                let at = self.at;
                let count = usize::try_from(self.integer()?);
                Action::Sum(count.map_err(|_| {
                    self.at = at;
                    self.error("a number of slots is not below 0")
                })?)
            }
            ("bound", _) => {
                self.expect(',', "what bound is of; then the largest absolute value")?;
                Action::Bound(self.real()?)
            }
            ("conj", _) => Action::Conjugate,
            ("bootstrap", _) => Action::Bootstrap,
            _ => Action::Square,
        };
        self.expect(')', &format!("what {name} is of"))?;
        self.push(start + 1, action);
        Ok(())
    }

    /// Where a function is approximated, if it is said.
    fn interval(&mut self) -> Result<Option<(f64, f64)>, ExpressionError> {
        if !self.take(',') {
            return Ok(None);
        }
        let from = self.real()?;
        self.expect(',', "where the interval begins")?;
        Ok(Some((from, self.real()?)))
    }

    fn integer(&mut self) -> Result<i64, ExpressionError> {
        let is_negative = self.take('-');
        self.peek();
        let start = self.at;
        let digits = self.run(|c| c.is_ascii_digit());
        let number = digits.parse::<i64>().map(|number| if is_negative { -number } else { number });
        number.map_err(|_| {
            self.at = start;
            self.error("a whole number of slots should be here")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The value of an expression of real numbers, where x is 3, and a rotation adds its steps.
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
                Action::Negate => -pop(),
                Action::Rotate(by) => pop() + by as f64,
                Action::Conjugate => pop() + 0.5,
                Action::Square => pop().powi(2),
                Action::Sum(count) => pop() * count as f64,
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
            ("bootstrap(x*sum)", 15.25),
            ("sqrt(x + 1)", 2.0),
            ("inv( x-1 , - 4, .5e1 )", 46.5),
            ("sigmoid(0*x, -8, 8) + exp(log(1))", 73.5),
            ("_a1", 5.0),
            ("((((x))))", 3.0),
        ] {
            assert_eq!(value(text).unwrap(), expected, "{text}");
        }
        // Long ones are no deep ones.
        let long = format!("0{}", " + x".repeat(100_000));
        assert_eq!(value(&long).unwrap(), 300_000.0);
    }

    #[test]
    fn errors_tell_the_column() {
        for (text, column, reason) in [
            ("", 1, "it ends"),
            ("x +", 4, "it ends"),
            ("x + * y", 5, "'*' where a number"),
            ("x y", 3, "'y' where +, - or * should be"),
            ("(x + 1", 7, "the end where ')' should be"),
            ("x)", 2, "there is no ( for this )"),
            ("x + sec(y)", 5, "no function sec; there are rot"),
            ("sin(x, 1)", 9, "')' where ',' should be"),
            ("sin(x, y, 1)", 8, "\"y\" is no number"),
            ("sin(x, 1, 2i)", 11, "real numbers"),
            ("sin(x, 1, 2, 3)", 12, "',' where ')' should be"),
            ("rot(x)", 6, "')' where ',' should be"),
            ("rot(x, y)", 8, "a whole number of slots"),
            ("rot(x, 1.5)", 9, "'.' where ')' should be"),
            ("rot(x, 99999999999999999999)", 8, "a whole number of slots"),
            ("sum(x)", 6, "')' where ',' should be"),
            ("sum(x, -4)", 8, "not below 0"),
            ("bound(x, y)", 10, "\"y\" is no number"),
            ("bootstrap()", 11, "')' where a number"),
            ("conj(x, 1)", 7, "',' where ')' should be"),
            ("1.2.3", 1, "\"1.2.3\" is no number"),
            ("2x", 1, "\"2x\" is no number"),
            ("1e999", 1, "is no number"),
            ("1e", 1, "\"1e\" is no number"),
            (".", 1, "is no number"),
            ("x + é", 5, "'é' where a number"),
            ("x / 2", 3, "'/' where +"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.reason.contains(reason), "{text}: {error}");
            assert_eq!(error.column, column, "{text}: {error}");
        }
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "conj(".repeat(100_000)] {
            assert!(parse(&deep).unwrap_err().reason.contains("in each other"));
        }
    }

    /// An expression as text with all parentheses, and its value.
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
        fn any_text_is_read_or_refused_where_it_is_wrong(text in "[-+*(), 0-9.eixyrotcnj_/é]{0,40}") {
            match parse(&text) {
                Ok(_) => prop_assert!(value(&text).is_ok()),
                Err(error) => {
                    prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{error}");
                }
            }
        }
    }
}
