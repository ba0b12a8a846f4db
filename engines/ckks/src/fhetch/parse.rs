// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads traces.

use super::error::FhetchError;
use super::text::MARK;
use super::trace::{Instruction, Operation, Port, Trace, COPY_MODULUS};
use crate::ring::Form;

/// The longest text.
pub const MAX_BYTES: usize = 1 << 30;
/// The largest number of instructions.
pub const MAX_INSTRUCTIONS: usize = 1 << 24;
/// The largest number of moduli.
pub const MAX_MODULI: usize = 1 << 12;
/// The largest degree, as a power of two.
const MAX_LOG_DEGREE: u32 = 17;

type Parsed<T> = Result<T, String>;

impl Trace {
    /// Reads the text of a trace.
    ///
    /// # Errors
    /// [`FhetchError`] for a line that cannot be read, an operation that is not in the subset, a
    /// text without its degree, and a text that exceeds the limits.
    pub fn parse(text: &str) -> Result<Self, FhetchError> {
        if text.len() > MAX_BYTES {
            let reason = format!("{} bytes, and the limit is {MAX_BYTES}", text.len());
            return Err(FhetchError::Line { line: 1, reason });
        }
        let mut trace = Self {
            degree: 0,
            moduli: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            instructions: Vec::new(),
        };
        for (index, line) in text.lines().enumerate() {
            let is_end = read(&mut trace, line)
                .map_err(|reason| FhetchError::Line { line: index + 1, reason })?;
            if is_end {
                break;
            }
        }
        match trace.degree {
            0 => Err(FhetchError::NoDegree),
            _ => Ok(trace),
        }
    }
}

/// Reads a line, and returns `true` if it is the last.
fn read(trace: &mut Trace, line: &str) -> Parsed<bool> {
    if let Some(remark) = line.strip_prefix(MARK) {
        mark(trace, remark)?;
        return Ok(false);
    }
    let line = line.split('#').next().unwrap_or_default().trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word {
        "" => Ok(false),
        "halt" => Ok(true),
        "modulus_count" => match rest.trim().parse::<usize>() {
            Ok(count) if (1..=MAX_MODULI).contains(&count) => Ok(false),
            _ => Err(format!("a number of moduli must be 1 to {MAX_MODULI}")),
        },
        _ if word.starts_with("m[") => table(trace, word, rest).map(|()| false),
        _ => {
            if trace.instructions.len() == MAX_INSTRUCTIONS {
                return Err(format!("more than {MAX_INSTRUCTIONS} instructions"));
            }
            let instruction = instruction(trace, word, rest)?;
            trace.instructions.push(instruction);
            Ok(false)
        }
    }
}

/// Reads an entry of the table of moduli.
fn table(trace: &mut Trace, word: &str, rest: &str) -> Parsed<()> {
    let index = word.strip_prefix("m[").and_then(|rest| rest.strip_suffix(']'));
    let index = index.and_then(|index| index.parse::<usize>().ok());
    if index != Some(trace.moduli.len()) || trace.moduli.len() == MAX_MODULI {
        return Err(format!("expected the modulus m[{}]", trace.moduli.len()));
    }
    let modulus = integer(rest.trim())?;
    let is_first = trace.moduli.is_empty();
    if is_first != (modulus == COPY_MODULUS) {
        return Err(format!("m[0], and no other, must be 0x{COPY_MODULUS:X}"));
    }
    if !is_first && !(2..1 << 60).contains(&modulus) {
        return Err(format!("the modulus {modulus} is not from 2 to 2^60 − 1"));
    }
    trace.moduli.push(modulus);
    Ok(())
}

/// Reads a remark of ours.
fn mark(trace: &mut Trace, remark: &str) -> Parsed<()> {
    let mut words = remark.splitn(5, ' ');
    let mut word = || words.next().ok_or_else(|| "this remark is too short".to_owned());
    let what = word()?;
    if what == "degree" {
        let degree = integer(word()?)?;
        let is_degree = degree.is_power_of_two() && (2..=1 << MAX_LOG_DEGREE).contains(&degree);
        if !is_degree || trace.degree != 0 {
            return Err(format!(
                "the degree must be given once, a power of two to 2^{MAX_LOG_DEGREE}"
            ));
        }
        trace.degree = degree as usize;
        return Ok(());
    }
    let ports = match what {
        "input" => &mut trace.inputs,
        "output" => &mut trace.outputs,
        _ => return Err(format!("the remark {what:.20} is unknown")),
    };
    let address = address(word()?)?;
    let modulus = modulus(&trace.moduli, word()?)?;
    let form = match word()? {
        "coefficients" => Form::Coefficients,
        "values" => Form::Values,
        _ => return Err("expected coefficients or values".to_owned()),
    };
    if ports.len() == MAX_INSTRUCTIONS {
        return Err(format!("more than {MAX_INSTRUCTIONS} of them"));
    }
    ports.push(Port { address, modulus, form, name: word()?.to_owned() });
    Ok(())
}

fn instruction(trace: &Trace, name: &str, rest: &str) -> Parsed<Instruction> {
    let arguments: Vec<&str> = rest.split(',').map(str::trim).take(7).collect();
    let at = |index: usize| {
        let found = arguments.get(index).copied().filter(|text| !text.is_empty());
        found.ok_or_else(|| format!("{name} has too few arguments"))
    };
    let named = |key: &str| {
        let mut found = arguments.iter().filter_map(|text| text.strip_prefix(key));
        found.next().ok_or_else(|| format!("{name} needs {key}"))
    };
    let number = |key: &str| integer(named(key)?);
    let a = |index| address(at(index)?);
    let (count, operation) = match name {
        "sr_addp" => (4, Operation::Add(a(1)?, a(2)?)),
        "sr_subp" => (4, Operation::Subtract(a(1)?, a(2)?)),
        "sr_mulp" => (4, Operation::Multiply(a(1)?, a(2)?)),
        "sr_addps" => (4, Operation::AddNumber(a(1)?, integer(at(2)?)?)),
        "sr_subps" => (4, Operation::SubtractNumber(a(1)?, integer(at(2)?)?)),
        "sr_mulps" => (4, Operation::MultiplyNumber(a(1)?, integer(at(2)?)?)),
        "sr_negp" => (3, Operation::Negate(a(1)?)),
        "sr_ntt" => (4, Operation::Forward(a(1)?, number("omega=")?)),
        "sr_intt" => (4, Operation::Inverse(a(1)?, number("omega=")?)),
        "sr_automorph_eval" => (6, Operation::Automorphism(a(1)?, number("k=")?)),
        "sr_rot_automorph_coeff" => (4, Operation::Shift(a(1)?, number("offset=")?)),
        _ => return Err(format!("the operation {name:.40} is not supported")),
    };
    if arguments.len() > count {
        return Err(format!("{name} has too many arguments"));
    }
    let modulus = named("m=").and_then(|index| modulus(&trace.moduli, &format!("m={index}")))?;
    Ok(Instruction { to: a(0)?, modulus, operation })
}

fn address(text: &str) -> Parsed<u64> {
    let address = text.strip_prefix('%').and_then(|digits| digits.parse().ok());
    address.ok_or_else(|| format!("expected an address such as %1, got {text:.40}"))
}

fn modulus(moduli: &[u64], text: &str) -> Parsed<usize> {
    let index = text.strip_prefix("m=").and_then(|index| index.parse::<usize>().ok());
    index
        .filter(|index| *index < moduli.len())
        .ok_or_else(|| format!("expected a modulus of the table, such as m=1, got {text:.40}"))
}

fn integer(text: &str) -> Parsed<u64> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    value.map_err(|_| format!("expected a number below 2^64, got {text:.40}"))
}
