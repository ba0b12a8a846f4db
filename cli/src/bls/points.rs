// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on points: lines of points and numbers in, a result each out.

use std::sync::Arc;

use halimede_bls12_381::operations::{Call, Evaluate, Hash};
use halimede_bls12_381::{reduced, Curve, Fr, Point, G1, G2};
use serde_json::{json, Value};

use super::{digits, Digits};
use crate::arguments::{
    CurveName, HashToCurveOptions, MultiPairingOptions, PointLinesOptions, PointsOptions,
};
use crate::error::CommandError;
use crate::lines::{answer_file, Answer};

/// `halimede bls pairing`
pub fn pairing(lines: &PointLinesOptions, json: bool) -> Result<(), CommandError> {
    answer(lines, json, |line| match parse_pairs(line)? {
        pairs if pairs.len() == 1 => Ok(Call::PairingProduct(pairs)),
        pairs => Err(format!("{} points instead of two", 2 * pairs.len())),
    })
}

/// `halimede bls multi-pairing`
pub fn multi_pairing(options: &MultiPairingOptions, json: bool) -> Result<(), CommandError> {
    let lines = &options.lines;
    if options.check {
        let parse = |line: &str| Ok(Call::IsPairingProductOne(parse_pairs(line)?));
        let (batch, file) = (&lines.batch, lines.file.as_deref());
        return answer_file::<Evaluate, _>(batch, file, parse, Truth::of, json);
    }
    answer(lines, json, |line| Ok(Call::PairingProduct(parse_pairs(line)?)))
}

/// `halimede bls mul`
pub fn multiples(options: &PointsOptions, json: bool) -> Result<(), CommandError> {
    match options.curve {
        CurveName::G1 => answer(&options.lines, json, |line| Ok(Call::SumG1(one_term(line)?))),
        CurveName::G2 => answer(&options.lines, json, |line| Ok(Call::SumG2(one_term(line)?))),
    }
}

/// `halimede bls msm`
pub fn sums_of_multiples(options: &PointsOptions, json: bool) -> Result<(), CommandError> {
    match options.curve {
        CurveName::G1 => answer(&options.lines, json, |line| Ok(Call::SumG1(parse_terms(line)?))),
        CurveName::G2 => answer(&options.lines, json, |line| Ok(Call::SumG2(parse_terms(line)?))),
    }
}

/// `halimede bls add`
pub fn sums(options: &PointsOptions, json: bool) -> Result<(), CommandError> {
    match options.curve {
        CurveName::G1 => answer(&options.lines, json, |line| Ok(Call::AddG1(parse_points(line)?))),
        CurveName::G2 => answer(&options.lines, json, |line| Ok(Call::AddG2(parse_points(line)?))),
    }
}

/// `halimede bls map`
pub fn maps(options: &PointsOptions, json: bool) -> Result<(), CommandError> {
    let call = match options.curve {
        CurveName::G1 => Call::MapG1,
        CurveName::G2 => Call::MapG2,
    };
    answer(&options.lines, json, |line| Ok(call(digits(line.trim_ascii())?)))
}

/// `halimede bls hash-to-g1`, `hash-to-g2`
pub fn hashes(
    options: &HashToCurveOptions,
    json: bool,
    call: fn(Hash) -> Call,
) -> Result<(), CommandError> {
    if options.domain.is_empty() {
        return Err(CommandError::BadInput("--domain: the tag is empty".into()));
    }
    let domain: Arc<[u8]> = options.domain.as_bytes().into();
    answer(&options.lines, json, |line| {
        let message = digits(line.trim_ascii())?;
        Ok(call(Hash { domain: Arc::clone(&domain), message, encode: options.encode }))
    })
}

fn answer(
    lines: &PointLinesOptions,
    json: bool,
    parse: impl Fn(&str) -> Result<Call, String> + Sync,
) -> Result<(), CommandError> {
    let file = lines.file.as_deref();
    answer_file::<Evaluate, _>(&lines.batch, file, parse, Digits::of, json)
}

/// `true` or `false`.
struct Truth(bool);

impl Truth {
    fn of<E>(reply: &Result<Vec<u8>, E>) -> Self {
        Self(matches!(reply.as_deref(), Ok([1])))
    }
}

impl Answer for Truth {
    fn text(&self) -> String {
        self.0.to_string()
    }

    fn json(&self) -> Value {
        json!({ "result": self.0 })
    }
}

/// Points that are paired.
type Pair = (Point<G1>, Point<G2>);

/// Pairs of points, by turns of G1 and of G2.
pub fn parse_pairs(line: &str) -> Result<Vec<Pair>, String> {
    twos(line, "a point of G1 without one of G2 behind it", point, point)
}

/// Points, each with a number behind it.
pub fn parse_terms<C: Curve>(line: &str) -> Result<Vec<(Point<C>, Fr)>, String> {
    twos(line, "a point without a number behind it", point, number)
}

fn one_term<C: Curve>(line: &str) -> Result<Vec<(Point<C>, Fr)>, String> {
    match parse_terms(line)? {
        terms if terms.len() == 1 => Ok(terms),
        terms => Err(format!("{} points instead of one", terms.len())),
    }
}

fn parse_points<C: Curve>(line: &str) -> Result<Vec<Point<C>>, String> {
    line.split_ascii_whitespace().enumerate().map(|(index, word)| point(index, word)).collect()
}

fn twos<A, B>(
    line: &str,
    odd: &str,
    first: impl Fn(usize, &str) -> Result<A, String>,
    second: impl Fn(usize, &str) -> Result<B, String>,
) -> Result<Vec<(A, B)>, String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let (pairs, rest) = words.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(odd.into());
    }
    let read = |(index, [a, b]): (usize, &[&str; 2])| {
        Ok((first(2 * index, a)?, second(2 * index + 1, b)?))
    };
    pairs.iter().enumerate().map(read).collect()
}

/// A point of the group; the word's number is counted from 0.
fn point<C: Curve>(index: usize, word: &str) -> Result<Point<C>, String> {
    let at = |error: String| format!("word {}: {error}", index + 1);
    Point::from_bytes(&digits(word).map_err(at)?).map_err(|error| at(error.to_string()))
}

/// A number of 256 bits at most, modulo r.
fn number(index: usize, word: &str) -> Result<Fr, String> {
    let at = |error: String| format!("word {}: {error}", index + 1);
    let word = word.strip_prefix("0x").unwrap_or(word);
    if word.is_empty() || word.len() > 64 {
        return Err(at("a number has 1 to 64 digits".into()));
    }
    let bytes = digits(&format!("{word:0>64}")).map_err(at)?;
    bytes.first_chunk().map(reduced).ok_or_else(|| at("a number has 1 to 64 digits".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_of_any_length_and_reduced() {
        assert_eq!(number(0, "0x7"), Ok(Fr::from(7)));
        assert_eq!(number(0, &"f".repeat(64)), Ok(Fr::from(2).pow(&[256]) - Fr::from(1)));
        assert_eq!(number(3, ""), Err("word 4: a number has 1 to 64 digits".into()));
        assert!(number(0, &"1".repeat(65)).is_err() && number(0, "1g").is_err());
    }

    #[test]
    fn words_are_counted() {
        let g1 = hex::encode(Point::<G1>::generator().to_compressed());
        let g2 = hex::encode(Point::<G2>::generator().to_uncompressed());
        assert_eq!(parse_pairs(&format!(" {g1}\t0x{g2} ")).map(|pairs| pairs.len()), Ok(1));
        assert_eq!(parse_pairs("").map(|pairs| pairs.len()), Ok(0));
        let error = parse_pairs(&format!("{g1} {g1}")).unwrap_err();
        assert_eq!(error, "word 2: a point of G2 has 96 bytes, not 48");
        assert!(parse_pairs(&g1).is_err() && parse_terms::<G1>(&g1).is_err());
        assert!(one_term::<G1>(&format!("{g1} 1 {g1} 2")).is_err());
        assert_eq!(parse_points::<G1>("zz").unwrap_err(), "word 1: 'z' is not a hexadecimal digit");
    }
}
