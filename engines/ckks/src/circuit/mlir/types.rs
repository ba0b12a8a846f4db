// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The types of a program, and the parts of their attributes that mean something here.

use std::cell::RefCell;
use std::collections::HashMap;

use super::cursor::Cursor;
use super::error::MlirError;
use super::lexer::Token;

/// The deepest nesting of types, attributes and regions.
pub(super) const MAX_DEPTH: usize = 32;
/// The largest number of values of a tensor.
pub const MAX_ELEMENTS: usize = 1 << 20;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A real number, or an integer that is used as one.
    Number,
    /// An integer that is used as an index or a shift.
    Index,
    Tensor {
        shape: Vec<usize>,
        element: Box<Self>,
    },
    /// An encrypted value of another type, before ciphertexts are chosen.
    Secret(Box<Self>),
    Plaintext(Space),
    Ciphertext(Space),
    /// A key or a context, which a server of ours has itself.
    Key,
    /// A type without a meaning here.
    Other(String),
}

/// The properties in a type of plaintexts or ciphertexts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Space {
    /// The degree of the polynomials.
    pub degree: Option<usize>,
    /// The number of moduli, if the coefficients have several.
    pub moduli: Option<usize>,
}

impl Type {
    /// Returns the number of values: 1 for a number.
    pub fn elements(&self) -> usize {
        match self {
            Self::Tensor { shape, .. } => shape.iter().product(),
            Self::Secret(of) => of.elements(),
            _ => 1,
        }
    }

    /// Returns the space of a ciphertext, or of each ciphertext of a tensor.
    pub fn ciphertext(&self) -> Option<&Space> {
        match self {
            Self::Ciphertext(space) => Some(space),
            Self::Tensor { element, .. } => element.ciphertext(),
            _ => None,
        }
    }
}

/// The definitions of `#name = …` and `!name = …`, as indices of the tokens of their values.
pub(super) type Aliases<'t> = HashMap<(char, &'t str), usize>;

/// Reads types.
pub(super) struct Types<'t> {
    aliases: Aliases<'t>,
    known: RefCell<HashMap<&'t str, Type>>,
}

type Read<T> = Result<T, MlirError>;

impl<'t> Types<'t> {
    pub fn new(aliases: Aliases<'t>) -> Self {
        Self { aliases, known: RefCell::default() }
    }

    /// Consumes a type.
    pub fn read(&self, cursor: &mut Cursor<'_, 't>) -> Read<Type> {
        self.at_depth(cursor, 0)
    }

    fn at_depth(&self, cursor: &mut Cursor<'_, 't>, depth: usize) -> Read<Type> {
        if depth > MAX_DEPTH {
            return Err(cursor.error(format!("types are nested more than {MAX_DEPTH} times")));
        }
        let start = *cursor;
        let is_open = cursor.ahead(1) == Token::Sign('<');
        match cursor.next() {
            Token::Name('!', name) if is_open => self.dialect(name, cursor, depth),
            Token::Name('!', name) => {
                if let Some(of) = self.known.borrow().get(name) {
                    return Ok(of.clone());
                }
                let Some(index) = self.aliases.get(&('!', name)) else {
                    return match name.contains('.') {
                        true => Ok(Type::Other(format!("!{name}"))),
                        false => Err(start.error(format!("the type !{name} is not defined"))),
                    };
                };
                let of = self.at_depth(&mut cursor.at_index(*index), depth + 1)?;
                self.known.borrow_mut().insert(name, of.clone());
                Ok(of)
            }
            Token::Word("tensor") if is_open => self.tensor(cursor, depth),
            Token::Word("index") => Ok(Type::Index),
            Token::Word("f16" | "bf16" | "f32" | "f64") => Ok(Type::Number),
            Token::Word(word) if is_integer_type(word) => Ok(Type::Number),
            Token::Word(word) => {
                if is_open {
                    cursor.skip()?;
                }
                Ok(Type::Other(word.to_owned()))
            }
            _ => Err(start.expected("a type")),
        }
    }

    fn dialect(&self, name: &str, cursor: &mut Cursor<'_, 't>, depth: usize) -> Read<Type> {
        match name {
            "lwe.lwe_ciphertext" => {
                let mut space = Space::default();
                self.fields(cursor, &mut |types, key, value| match key {
                    "plaintext_space" => types.plaintext_space(value, &mut Space::default()),
                    "ciphertext_space" => types.ciphertext_space(value, &mut space),
                    _ => value.skip_to(&[',', '>']),
                })?;
                Ok(Type::Ciphertext(space))
            }
            "lwe.lwe_plaintext" => {
                let mut space = Space::default();
                self.fields(cursor, &mut |types, key, value| match key {
                    "plaintext_space" => types.plaintext_space(value, &mut space),
                    _ => value.skip_to(&[',', '>']),
                })?;
                Ok(Type::Plaintext(space))
            }
            "secret.secret" => {
                cursor.expect('<')?;
                let of = self.at_depth(cursor, depth + 1)?;
                cursor.expect('>')?;
                Ok(Type::Secret(Box::new(of)))
            }
            "lwe.lwe_public_key" | "lwe.lwe_secret_key" => cursor.skip().map(|()| Type::Key),
            _ => cursor.skip().map(|()| Type::Other(format!("!{name}"))),
        }
    }

    /// Consumes the shape and the element type of a tensor.
    fn tensor(&self, cursor: &mut Cursor<'_, 't>, depth: usize) -> Read<Type> {
        let start = *cursor;
        cursor.expect('<')?;
        let mut shape = Vec::new();
        // The rest of a word such as x1024xf32.
        let mut rest = "";
        loop {
            let text = match (rest, cursor.peek()) {
                ("", Token::Number(text)) => {
                    cursor.next();
                    text
                }
                ("", Token::Sign('?')) => return Err(cursor.error("a dynamic dimension")),
                ("", _) => break,
                (text, _) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
                    let (digits, after) = text.split_at(end);
                    rest = after;
                    digits
                }
                _ => break,
            };
            shape.push(text.parse::<usize>().map_err(|_| start.error("a dimension is too large"))?);
            if rest.is_empty() {
                let Token::Word(word) = cursor.next() else {
                    return Err(start.error("this shape has no element type"));
                };
                rest = word;
            }
            let Some(after) = rest.strip_prefix('x') else {
                return Err(start.error("this shape has no element type"));
            };
            rest = after;
        }
        let count = shape.iter().try_fold(1usize, |all, by| all.checked_mul(*by));
        if !count.is_some_and(|count| (1..=MAX_ELEMENTS).contains(&count)) {
            let reason = format!("a tensor must have 1 to {MAX_ELEMENTS} values");
            return Err(start.error(reason));
        }
        let element = match rest {
            "" => self.at_depth(cursor, depth + 1)?,
            "f16" | "bf16" | "f32" | "f64" => Type::Number,
            "index" => Type::Index,
            word if is_integer_type(word) => Type::Number,
            word => Type::Other(word.to_owned()),
        };
        if cursor.take(',') {
            cursor.skip_to(&['>'])?;
        }
        cursor.expect('>')?;
        Ok(Type::Tensor { shape, element: Box::new(element) })
    }

    /// Moves to the parameters of an attribute or type: behind its name, at `<`. Returns `None` for
    /// an unknown name.
    fn enter<'p>(&self, value: &mut Cursor<'p, 't>) -> Read<Option<Cursor<'p, 't>>> {
        let start = *value;
        let mut inner = *value;
        for _ in 0..MAX_DEPTH {
            match inner.peek() {
                Token::Sign('<') => {
                    value.skip_to(&[',', '>'])?;
                    return Ok(Some(inner));
                }
                Token::Name(sigil @ ('#' | '!'), name) => match inner.ahead(1) {
                    Token::Sign('<') => {
                        inner.next();
                    }
                    _ => match self.aliases.get(&(sigil, name)) {
                        Some(index) => inner = inner.at_index(*index),
                        None => break,
                    },
                },
                _ => break,
            }
        }
        if let Token::Name('#' | '!', name) = inner.peek() {
            if !name.contains('.') {
                return Err(start.error(format!("{} is not defined", inner.peek().shown())));
            }
        }
        value.skip_to(&[',', '>'])?;
        Ok(None)
    }

    /// Consumes parameters `<key = value, …>`, each key at most once.
    fn fields<'p>(
        &self,
        cursor: &mut Cursor<'p, 't>,
        each: &mut dyn FnMut(&Self, &str, &mut Cursor<'p, 't>) -> Read<()>,
    ) -> Read<()> {
        cursor.expect('<')?;
        let mut keys: Vec<&str> = Vec::new();
        while !cursor.take('>') {
            let start = *cursor;
            let Token::Word(key) = cursor.next() else { return Err(start.expected("a parameter")) };
            if keys.contains(&key) {
                return Err(start.error(format!("the parameter {key} is given twice")));
            }
            keys.push(key);
            cursor.expect('=')?;
            each(self, key, cursor)?;
            if !cursor.take(',') && cursor.peek() != Token::Sign('>') {
                return Err(cursor.expected("',' or '>'"));
            }
            if keys.len() > MAX_DEPTH {
                return Err(start.error(format!("more than {MAX_DEPTH} parameters")));
            }
        }
        Ok(())
    }

    fn plaintext_space(&self, value: &mut Cursor<'_, 't>, space: &mut Space) -> Read<()> {
        let start = *value;
        let Some(mut inner) = self.enter(value)? else { return Ok(()) };
        self.fields(&mut inner, &mut |types, key, value| match key {
            "ring" => types.ring(value, space),
            "encoding" => types.encoding(value, start),
            _ => value.skip_to(&[',', '>']),
        })
    }

    fn ciphertext_space(&self, value: &mut Cursor<'_, 't>, space: &mut Space) -> Read<()> {
        let Some(mut inner) = self.enter(value)? else { return Ok(()) };
        self.fields(&mut inner, &mut |types, key, value| match key {
            "ring" => types.ring(value, space),
            _ => value.skip_to(&[',', '>']),
        })
    }

    /// Checks that values are encoded as those of CKKS are.
    fn encoding(&self, value: &mut Cursor<'_, 't>, start: Cursor<'_, 't>) -> Read<()> {
        let mut inner = *value;
        value.skip_to(&[',', '>'])?;
        for _ in 0..MAX_DEPTH {
            let Token::Name('#', name) = inner.peek() else { break };
            if let Some(index) = self.aliases.get(&('#', name)) {
                inner = inner.at_index(*index);
                continue;
            }
            if matches!(name, "lwe.inverse_canonical_encoding" | "inverse_canonical_encoding") {
                return Ok(());
            }
            return Err(start.error(format!(
                "the encoding #{name} is not that of CKKS, #lwe.inverse_canonical_encoding"
            )));
        }
        Err(start.error("the encoding of this plaintext space is unknown"))
    }

    /// Reads the degree of a ring, and its number of moduli.
    fn ring(&self, value: &mut Cursor<'_, 't>, space: &mut Space) -> Read<()> {
        let Some(mut inner) = self.enter(value)? else { return Ok(()) };
        self.fields(&mut inner, &mut |types, key, value| match key {
            "coefficientType" => {
                let mut list = match types.enter(value)? {
                    Some(list) => list,
                    None => return Ok(()),
                };
                space.moduli = Some(count(&mut list)?);
                Ok(())
            }
            "polynomialModulus" => {
                let start = *value;
                let Some(mut inner) = types.enter(value)? else { return Ok(()) };
                inner.expect('<')?;
                space.degree = Some(degree(&mut inner).ok_or_else(|| {
                    start.error("the polynomial of a ring must be 1 + x**N, with N a power of two")
                })?);
                Ok(())
            }
            _ => value.skip_to(&[',', '>']),
        })
    }
}

/// Counts the values of a list `<a, b, …>`.
fn count(list: &mut Cursor<'_, '_>) -> Read<usize> {
    list.expect('<')?;
    let mut count = 0;
    while !list.take('>') {
        list.skip_to(&[',', '>'])?;
        list.take(',');
        count += 1;
    }
    Ok(count)
}

/// Reads 1 + x**N.
fn degree(inner: &mut Cursor<'_, '_>) -> Option<usize> {
    let signs = [
        Token::Number("1"),
        Token::Sign('+'),
        Token::Word("x"),
        Token::Sign('*'),
        Token::Sign('*'),
    ];
    if !signs.into_iter().all(|token| inner.take_token(token)) {
        return None;
    }
    let degree = usize::try_from(inner.integer().ok()?).ok()?;
    (degree.is_power_of_two() && inner.take('>')).then_some(degree)
}

/// Returns `true` for i and si or ui with a number of bits.
fn is_integer_type(word: &str) -> bool {
    let digits = word.trim_start_matches(['s', 'u']).strip_prefix('i');
    digits.is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit()))
}
