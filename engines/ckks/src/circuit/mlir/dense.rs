// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of `arith.constant`.

use super::cursor::Cursor;
use super::error::MlirError;
use super::lexer::Token;
use super::types::{Type, MAX_DEPTH};

/// Consumes the numbers of a constant: one number, or `dense<…>` with one number for all places or
/// nested lists.
///
/// # Errors
/// [`MlirError`] for anything else.
pub(super) fn numbers(cursor: &mut Cursor<'_, '_>) -> Result<Numbers, MlirError> {
    let start = *cursor;
    if !cursor.take_word("dense") {
        if let Token::Word("dense_resource") = cursor.peek() {
            return Err(cursor.error("the values of a dense_resource are not in the program"));
        }
        return Ok(Numbers { values: vec![number(cursor)?], depth: 0, start_index: start.index() });
    }
    cursor.expect('<')?;
    if let Token::Text(_) = cursor.peek() {
        return Err(cursor.error("values as bytes in quotes; print them as numbers"));
    }
    let (mut values, mut depth, mut deepest) = (Vec::new(), 0, None);
    loop {
        if cursor.take('[') {
            depth += 1;
            if depth > MAX_DEPTH {
                return Err(cursor.error(format!("lists are nested more than {MAX_DEPTH} times")));
            }
            continue;
        }
        values.push(number(cursor)?);
        if *deepest.get_or_insert(depth) != depth {
            return Err(cursor.error("these numbers are not in lists of equal depth"));
        }
        while depth > 0 && cursor.take(']') {
            depth -= 1;
        }
        if depth == 0 {
            break;
        }
        cursor.expect(',')?;
    }
    cursor.expect('>')?;
    Ok(Numbers { values, depth: deepest.unwrap_or(0), start_index: start.index() })
}

/// The numbers of a constant.
pub(super) struct Numbers {
    values: Vec<f64>,
    depth: usize,
    start_index: usize,
}

impl Numbers {
    /// Returns the values, one for each place of the type.
    pub fn of(self, of: &Type, cursor: &Cursor<'_, '_>) -> Result<Vec<f64>, MlirError> {
        let start = cursor.at_index(self.start_index);
        let rank = match of {
            Type::Tensor { shape, .. } => shape.len(),
            _ => 0,
        };
        let count = of.elements();
        if self.depth == 0 && self.values.len() == 1 {
            return Ok(vec![self.values[0]; count]);
        }
        if self.depth != rank || self.values.len() != count {
            let got = self.values.len();
            return Err(start.error(format!("{got} numbers do not have the shape of the type")));
        }
        Ok(self.values)
    }
}

fn number(cursor: &mut Cursor<'_, '_>) -> Result<f64, MlirError> {
    let start = *cursor;
    let is_negative = cursor.take('-');
    let value = match cursor.next() {
        Token::Word("true") => Some(1.0),
        Token::Word("false") => Some(0.0),
        Token::Number(text) if !text.starts_with("0x") => {
            text.parse::<f64>().ok().filter(|value| value.is_finite())
        }
        _ => None,
    };
    let value = value.ok_or_else(|| start.expected("a finite decimal number"))?;
    Ok(if is_negative { -value } else { value })
}
