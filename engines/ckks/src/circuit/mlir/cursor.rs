// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A place in the tokens of a program.

use super::error::{MlirError, Position};
use super::lexer::Token;

/// A place in the tokens of a program. Copies are independent.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'p, 't> {
    /// All tokens; the last is [`Token::End`].
    tokens: &'p [(Token<'t>, Position)],
    at: usize,
}

impl<'p, 't> Cursor<'p, 't> {
    pub fn new(tokens: &'p [(Token<'t>, Position)]) -> Self {
        Self { tokens, at: 0 }
    }

    /// The number of tokens before this place.
    pub fn index(&self) -> usize {
        self.at
    }

    /// The place behind a number of tokens.
    pub fn at_index(mut self, index: usize) -> Self {
        self.at = index;
        self
    }

    pub fn peek(&self) -> Token<'t> {
        self.ahead(0)
    }

    /// Returns the token `by` tokens ahead.
    pub fn ahead(&self, by: usize) -> Token<'t> {
        self.tokens.get(self.at + by).map_or(Token::End, |(token, _)| *token)
    }

    pub fn position(&self) -> Position {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens.get(self.at.min(last)).map_or(Position { line: 1, column: 1 }, |(_, at)| *at)
    }

    pub fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += usize::from(token != Token::End);
        token
    }

    pub fn take(&mut self, sign: char) -> bool {
        self.take_token(Token::Sign(sign))
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        self.take_token(Token::Word(word))
    }

    pub fn take_token(&mut self, token: Token<'_>) -> bool {
        let is_it = self.peek() == token;
        self.at += usize::from(is_it);
        is_it
    }

    pub fn error(&self, reason: impl Into<String>) -> MlirError {
        MlirError::new(self.position(), reason)
    }

    pub fn expected(&self, what: &str) -> MlirError {
        self.error(format!("expected {what}, got {}", self.peek().shown()))
    }

    pub fn expect(&mut self, sign: char) -> Result<(), MlirError> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("{sign:?}"))),
        }
    }

    /// Consumes a name with a sigil.
    pub fn name(&mut self, sigil: char, what: &str) -> Result<&'t str, MlirError> {
        match self.peek() {
            Token::Name(got, name) if got == sigil && !name.is_empty() => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Consumes an integer with an optional sign.
    pub fn integer(&mut self) -> Result<i64, MlirError> {
        let is_negative = self.take('-');
        let Token::Number(text) = self.peek() else { return Err(self.expected("an integer")) };
        let value = match text.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        let value = value.map_err(|_| self.expected("an integer of 64 bits"))?;
        self.at += 1;
        Ok(if is_negative { -value } else { value })
    }

    /// Consumes a bracketed part with everything in it, or one token.
    pub fn skip(&mut self) -> Result<(), MlirError> {
        let start = *self;
        let mut open = Vec::new();
        loop {
            let here = *self;
            match self.next() {
                Token::Sign(sign @ ('(' | '[' | '{' | '<')) => open.push(closing(sign)),
                Token::Sign(sign @ (')' | ']' | '}' | '>')) if open.pop() != Some(sign) => {
                    return Err(here.error(format!("this {sign} has no matching bracket")));
                }
                Token::End => return Err(start.error("the text ends in this part")),
                _ => {}
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Consumes everything up to a sign outside of brackets, which stays.
    pub fn skip_to(&mut self, signs: &[char]) -> Result<(), MlirError> {
        while !matches!(self.peek(), Token::Sign(sign) if signs.contains(&sign)) {
            self.skip()?;
        }
        Ok(())
    }
}

fn closing(sign: char) -> char {
    match sign {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        _ => '>',
    }
}
