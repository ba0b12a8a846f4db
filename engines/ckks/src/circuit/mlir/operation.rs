// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common form of operations: `name operands {attributes} : types`.

use super::cursor::Cursor;
use super::error::MlirError;
use super::lexer::Token;
use super::types::{Type, Types};

/// The largest number of operands.
const MAX_OPERANDS: usize = 1 << 14;

/// The operands, attributes and types of an operation.
pub(super) struct Parts<'t> {
    /// The names of the operands, each with the index of its token.
    pub operands: Vec<(&'t str, usize)>,
    /// The integers among the attributes.
    pub integers: Vec<(&'t str, i64)>,
    /// The types of the operands, as far as they are written.
    pub inputs: Vec<Type>,
    /// The type behind the arrow, or the only one.
    pub output: Option<Type>,
}

impl Parts<'_> {
    /// Returns an attribute.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.integers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }
}

/// Consumes the operands, attributes and types of an operation. Brackets around operands, as in
/// `%a[%i, %j]`, only separate them.
pub(super) fn parts<'t>(
    types: &Types<'t>,
    cursor: &mut Cursor<'_, 't>,
) -> Result<Parts<'t>, MlirError> {
    let mut parts =
        Parts { operands: Vec::new(), integers: Vec::new(), inputs: Vec::new(), output: None };
    loop {
        match cursor.peek() {
            Token::Name('%', name) => {
                parts.operands.push((name, cursor.index()));
                cursor.next();
                if let Token::Name('#', _) = cursor.peek() {
                    return Err(cursor.error("one of several results of an operation"));
                }
            }
            Token::Sign(',' | '[' | ']') => {
                cursor.next();
            }
            _ => break,
        }
        if parts.operands.len() > MAX_OPERANDS {
            return Err(cursor.error(format!("more than {MAX_OPERANDS} operands")));
        }
    }
    if cursor.peek() == Token::Sign('{') {
        attributes(cursor, &mut parts)?;
    }
    if !cursor.take(':') {
        return Ok(parts);
    }
    if cursor.take('(') {
        while !cursor.take(')') {
            parts.inputs.push(types.read(cursor)?);
            if !cursor.take(',') && cursor.peek() != Token::Sign(')') {
                return Err(cursor.expected("',' or ')'"));
            }
        }
    } else {
        parts.inputs.push(types.read(cursor)?);
        while cursor.take(',') || cursor.take(':') {
            parts.inputs.push(types.read(cursor)?);
        }
    }
    let has_output = cursor.take_token(Token::Arrow) || cursor.take_word("to");
    parts.output = match has_output {
        true => Some(types.read(cursor)?),
        false => parts.inputs.first().cloned(),
    };
    Ok(parts)
}

/// Consumes a dictionary of attributes; only integers are kept.
fn attributes<'t>(cursor: &mut Cursor<'_, 't>, parts: &mut Parts<'t>) -> Result<(), MlirError> {
    let mut inside = *cursor;
    cursor.skip()?;
    inside.expect('{')?;
    while !inside.take('}') {
        let Token::Word(key) = inside.next() else {
            return Err(inside.error("an attribute needs a name"));
        };
        if inside.take('=') {
            let mut value = inside;
            if let Ok(integer) = value.integer() {
                parts.integers.push((key, integer));
            }
        }
        inside.skip_to(&[',', '}'])?;
        inside.take(',');
    }
    Ok(())
}
