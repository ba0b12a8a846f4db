// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A module and its functions. The bodies of functions are read when they are lowered, so that
//! other functions of the module may contain anything.

use std::collections::BTreeMap;

use super::argument::{Argument, ArgumentKind};
use super::cursor::Cursor;
use super::error::{MlirError, Position};
use super::lexer::{tokens, Token};
use super::lower::lower;
use super::types::{Aliases, Type, Types};
use crate::circuit::Expression;

/// The largest number of functions, of arguments of a function, and of aliases.
const MAX_ITEMS: usize = 1 << 14;

/// A module of MLIR: functions, with the aliases of their types.
pub struct Module<'t> {
    tokens: Vec<(Token<'t>, Position)>,
    types: Types<'t>,
    functions: Vec<Signature<'t>>,
}

/// A function before it is lowered.
pub(super) struct Signature<'t> {
    name: &'t str,
    is_private: bool,
    at: Position,
    arguments: Vec<Argument>,
    names: Vec<&'t str>,
    types: Vec<Type>,
    /// The first token of the body.
    body: Option<usize>,
}

/// A function of a module.
#[derive(Clone, Copy)]
pub struct Function<'m, 't> {
    module: &'m Module<'t>,
    signature: &'m Signature<'t>,
}

impl<'t> Module<'t> {
    /// Reads a module, or functions without one.
    ///
    /// # Errors
    /// [`MlirError`] for anything but functions and aliases, for a type of an argument that cannot
    /// be read, for another scheme than CKKS, and for a text that exceeds the limits.
    pub fn parse(text: &'t str) -> Result<Self, MlirError> {
        let tokens = tokens(text)?;
        let mut cursor = Cursor::new(&tokens);
        let aliases = aliases(&mut cursor)?;
        let types = Types::new(aliases);
        let has_module = cursor.take_word("module");
        if has_module {
            if let Token::Name('@', _) = cursor.peek() {
                cursor.next();
            }
            if cursor.take_word("attributes") {
                module_attributes(&mut cursor)?;
            }
            cursor.expect('{')?;
        }
        let mut functions: Vec<Signature<'t>> = Vec::new();
        while !matches!(cursor.peek(), Token::End | Token::Sign('}')) {
            let start = cursor;
            if !cursor.take_word("func.func") {
                return Err(cursor.expected("func.func"));
            }
            let function = signature(&types, &mut cursor)?;
            if functions.iter().any(|other| other.name == function.name) {
                return Err(
                    start.error(format!("the function @{} is defined twice", function.name))
                );
            }
            if functions.len() == MAX_ITEMS {
                return Err(start.error(format!("more than {MAX_ITEMS} functions")));
            }
            functions.push(function);
        }
        if has_module {
            cursor.expect('}')?;
        }
        if cursor.peek() != Token::End {
            return Err(cursor.expected("the end of the module"));
        }
        Ok(Self { tokens, types, functions })
    }

    /// Returns the function of a name, or without a name the only one that is not private.
    ///
    /// # Errors
    /// [`MlirError`] if there is no such function, or several.
    pub fn function<'m>(&'m self, name: Option<&str>) -> Result<Function<'m, 't>, MlirError> {
        let start = Position { line: 1, column: 1 };
        let is_wanted = |of: &&Signature<'_>| match name {
            Some(name) => of.name == name,
            None => !of.is_private && of.body.is_some(),
        };
        let mut found = self.functions.iter().filter(is_wanted);
        let names = || {
            let names: Vec<String> =
                self.functions.iter().take(20).map(|of| format!("@{}", of.name)).collect();
            names.join(", ")
        };
        match (found.next(), found.next()) {
            (Some(signature), None) => Ok(Function { module: self, signature }),
            (Some(_), Some(_)) => {
                Err(MlirError::new(start, format!("give one of the functions {}", names())))
            }
            (None, _) => {
                let wanted = name.map_or("public function".to_owned(), |name| format!("@{name}"));
                Err(MlirError::new(start, format!("there is no {wanted}; functions: {}", names())))
            }
        }
    }
}

impl Function<'_, '_> {
    /// The name, without `@`.
    pub fn name(&self) -> &str {
        self.signature.name
    }

    /// The arguments, in order.
    pub fn arguments(&self) -> &[Argument] {
        &self.signature.arguments
    }

    /// Returns the results as expressions of the encrypted arguments, whose names are those of the
    /// arguments. `plain` has the values of the unencrypted ones.
    ///
    /// # Errors
    /// [`MlirError`] for an operation that is not in the subset, with its position, and for types
    /// or values that do not fit.
    pub fn results(
        &self,
        plain: &BTreeMap<String, Vec<f64>>,
    ) -> Result<Vec<Expression>, MlirError> {
        let Signature { name, at, arguments, names, types, body, .. } = self.signature;
        let Some(body) = body else {
            return Err(MlirError::new(*at, format!("the function @{name} has no body")));
        };
        let all = arguments.iter().zip(names).zip(types);
        let all: Vec<_> = all.map(|((argument, name), of)| (argument, *name, of)).collect();
        let body = Cursor::new(&self.module.tokens).at_index(*body);
        lower(&self.module.types, &all, plain, body)
    }
}

/// Consumes the definitions of aliases. Their contents are read at their uses.
fn aliases<'t>(cursor: &mut Cursor<'_, 't>) -> Result<Aliases<'t>, MlirError> {
    let mut aliases = Aliases::new();
    while let Token::Name(sigil @ ('#' | '!'), name) = cursor.peek() {
        let start = *cursor;
        cursor.next();
        cursor.expect('=')?;
        if name.contains('.') {
            return Err(start.error("the name of an alias has no dot"));
        }
        if aliases.insert((sigil, name), cursor.index()).is_some() {
            return Err(start.error(format!("{} is defined twice", start.peek().shown())));
        }
        if aliases.len() > MAX_ITEMS {
            return Err(start.error(format!("more than {MAX_ITEMS} aliases")));
        }
        // A name with its parameters, or a type without.
        cursor.skip()?;
        while cursor.peek() == Token::Sign('<') {
            cursor.skip()?;
        }
    }
    Ok(aliases)
}

/// Consumes the attributes of a module. A module of another scheme computes with other values.
fn module_attributes(cursor: &mut Cursor<'_, '_>) -> Result<(), MlirError> {
    let mut inside = *cursor;
    cursor.skip()?;
    inside.next();
    while inside.index() < cursor.index() {
        let start = inside;
        if let Token::Word("scheme.bgv" | "scheme.bfv" | "scheme.cggi") = inside.next() {
            let shown = start.peek().shown();
            return Err(start.error(format!("a program for {shown}, not for CKKS")));
        }
    }
    Ok(())
}

fn signature<'t>(
    types: &Types<'t>,
    cursor: &mut Cursor<'_, 't>,
) -> Result<Signature<'t>, MlirError> {
    let is_private = cursor.take_word("private");
    cursor.take_word("public");
    let at = cursor.position();
    let name = cursor.name('@', "the name of a function, such as @main")?;
    cursor.expect('(')?;
    let (mut arguments, mut names, mut of_types) = (Vec::new(), Vec::new(), Vec::new());
    while !cursor.take(')') {
        let start = *cursor;
        let name = match cursor.peek() {
            Token::Name('%', name) => {
                cursor.next();
                cursor.expect(':')?;
                name
            }
            _ => "",
        };
        let of = types.read(cursor)?;
        let is_secret = match cursor.peek() {
            Token::Sign('{') => has_word(cursor, "secret.secret")?,
            _ => false,
        };
        if !name.is_empty() {
            if names.contains(&name) {
                return Err(start.error(format!("%{name} is defined twice")));
            }
            names.push(name);
            arguments.push(argument(name, &of, is_secret).map_err(|reason| start.error(reason))?);
            of_types.push(of);
        }
        if !cursor.take(',') && cursor.peek() != Token::Sign(')') {
            return Err(cursor.expected("',' or ')'"));
        }
        if names.len() > MAX_ITEMS {
            return Err(start.error(format!("more than {MAX_ITEMS} arguments")));
        }
    }
    if cursor.take_token(Token::Arrow) {
        match cursor.peek() {
            Token::Sign('(') => cursor.skip()?,
            _ => {
                types.read(cursor)?;
            }
        }
    }
    if cursor.take_word("attributes") {
        cursor.skip()?;
    }
    let body = match cursor.peek() {
        Token::Sign('{') => Some(cursor.index() + 1),
        _ => None,
    };
    if body.is_some() {
        cursor.skip()?;
    }
    Ok(Signature { name, is_private, at, arguments, names, types: of_types, body })
}

/// Consumes a bracketed part, and returns `true` if it contains a word.
fn has_word(cursor: &mut Cursor<'_, '_>, word: &str) -> Result<bool, MlirError> {
    let mut inside = *cursor;
    cursor.skip()?;
    let mut has = false;
    while inside.index() < cursor.index() {
        has |= inside.next() == Token::Word(word);
    }
    Ok(has)
}

fn argument(name: &str, of: &Type, is_secret: bool) -> Result<Argument, String> {
    let name = name.to_owned();
    let (kind, length) = match of {
        Type::Key => (ArgumentKind::Key, None),
        Type::Tensor { element, .. } if **element == Type::Key => (ArgumentKind::Key, None),
        Type::Ciphertext(_) => (ArgumentKind::Encrypted, None),
        Type::Plaintext(_) => (ArgumentKind::Plain, None),
        Type::Tensor { shape, element } if matches!(**element, Type::Ciphertext(_)) => {
            // The second factor of a key switch is a tensor of ciphertexts too.
            match shape.iter().product::<usize>() {
                1 => (ArgumentKind::Encrypted, None),
                count => {
                    return Err(format!(
                        "%{name} is a tensor of {count} ciphertexts; an argument is one ciphertext"
                    ))
                }
            }
        }
        Type::Secret(of) => match **of {
            Type::Number | Type::Tensor { .. } => (ArgumentKind::Encrypted, length(of)),
            _ => {
                return Err(format!(
                    "%{name} has a secret type that is neither a number nor a tensor"
                ))
            }
        },
        Type::Number | Type::Index | Type::Tensor { .. } => match is_secret {
            true => (ArgumentKind::Encrypted, length(of)),
            false => (ArgumentKind::Plain, length(of)),
        },
        Type::Other(shown) => {
            return Err(format!("%{name} has the type {shown}, which has no meaning here"))
        }
    };
    Ok(Argument { name, kind, length })
}

fn length(of: &Type) -> Option<usize> {
    matches!(of, Type::Tensor { .. }).then(|| of.elements())
}
