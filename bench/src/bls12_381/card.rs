// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card's coprocessor: the clocks of its instructions next to those that the authors of a
//! published coprocessor state, and the same operations on this processor.

use std::hint::black_box;

use blst::{
    blst_final_exp, blst_fp, blst_fp12, blst_fp12_inverse, blst_fp12_mul, blst_fp_inverse,
    blst_fp_mul, blst_miller_loop,
};
use halimede_bls12_381::coprocessor::isa::{Kind, Opcode};
use halimede_bls12_381::pairing::pairing_product;
use halimede_bls12_381::{Fr, Point, G1, G2};
use serde::{Deserialize, Serialize};

use super::random_pairs;
use crate::report::{json_lines, BenchReport};
use crate::Settings;

/// The clocks of the circuit, measured by `python -m engines.bls12_381.rtl.clocks --write`.
const CLOCKS: &str = include_str!("../../../engines/bls12_381/rtl/clocks.json");

/// Clocks of the circuit.
#[derive(Deserialize)]
struct Measured {
    /// The number of contexts.
    contexts: u32,
    /// Instruction, kinds, clocks of a single one, clocks per instruction with all contexts busy.
    clocks: Vec<(String, String, u64, u64)>,
}

/// An operation of the published table.
struct Case {
    name: &'static str,
    instruction: Opcode,
    /// The kinds of the operands, as the instruction set's data file has them.
    kinds: &'static str,
    /// The kind of the last operand that is read.
    of: Kind,
}

const fn of(name: &'static str, instruction: Opcode, kinds: &'static str, of: Kind) -> Case {
    Case { name, instruction, kinds, of }
}

const CASES: [Case; 9] = [
    of("fp-product", Opcode::MulElement, "FE FE FE", Kind::Fe),
    of("fp-inverse", Opcode::InvElement, "FE FE -", Kind::Fe),
    of("fp12-product", Opcode::MulElement, "FE12 FE12 FE12", Kind::Fe12),
    of("fp12-inverse", Opcode::InvElement, "FE12 FE12 -", Kind::Fe12),
    of("g1-multiple", Opcode::PointMult, "SCALAR FP_JB FP_JB", Kind::FpJb),
    of("g2-multiple", Opcode::PointMult, "SCALAR FP2_JB FP2_JB", Kind::Fp2Jb),
    of("miller-loop", Opcode::MillerLoop, "FP_AF FP2_AF FE12", Kind::Fp2Af),
    of("final-exponentiation", Opcode::FinalExp, "FE12 FE12 -", Kind::Fe12),
    of("pairing", Opcode::AtePairing, "FP_AF FP2_AF FE12", Kind::Fp2Af),
];

/// An operation's figures.
#[derive(Clone, Debug, Serialize)]
pub struct CardRecord {
    /// The engine and what is measured.
    pub bench: &'static str,
    /// The operation.
    pub case: &'static str,
    /// The clocks that the authors of the published coprocessor state, if any.
    pub published_clocks: Option<u32>,
    /// The clocks of our circuit for a single operation.
    pub clocks_alone: u64,
    /// The clocks per operation with all contexts busy.
    pub clocks_in_batch: u64,
    /// The number of contexts of the circuit.
    pub contexts: u32,
    /// Median on one thread of this processor, in microseconds.
    pub processor_us: f64,
}

/// Measures the operations whose names contain `only`, possibly none.
///
/// # Errors
/// If the data file lacks the clocks of an operation.
pub fn measure(settings: &Settings, only: &str) -> Result<Vec<CardRecord>, String> {
    let measured: Measured = serde_json::from_str(CLOCKS).map_err(|error| error.to_string())?;
    let cases = CASES.iter().filter(|case| case.name.contains(only));
    let record = |case: &Case| {
        let name = case.instruction.name();
        let row = measured.clocks.iter().find(|row| row.0 == name && row.1 == case.kinds);
        let (_, _, alone, in_batch) =
            row.ok_or_else(|| format!("no clocks of {name} {}", case.kinds))?;
        Ok(CardRecord {
            bench: "bls12-381-card",
            case: case.name,
            published_clocks: case.instruction.published_clocks(case.of),
            clocks_alone: *alone,
            clocks_in_batch: *in_batch,
            contexts: measured.contexts,
            processor_us: settings.time_ns(operation(case.name)) / 1e3,
        })
    };
    cases.map(record).collect()
}

/// Returns the operation with this name on this processor.
fn operation(name: &str) -> Box<dyn FnMut()> {
    let pairs = random_pairs(2);
    let (a, b) = (pairs[0].0.x, pairs[1].0.y);
    let (mut f, mut g) = (blst_fp12::default(), blst_fp12::default());
    let (p, q) = pairs[0];
    // SAFETY: all are valid.
    unsafe {
        blst_miller_loop(&mut f, &q, &p);
        blst_miller_loop(&mut g, &pairs[1].1, &pairs[1].0);
    }
    let scalar = -Fr::from(0x1234_5678_9abc_def1);
    // The library reads and writes valid elements in all of these.
    match name {
        "fp-product" => Box::new(move || {
            let mut result = blst_fp::default();
            // SAFETY: as said.
            unsafe { blst_fp_mul(&mut result, black_box(&a), &b) };
            black_box(result);
        }),
        "fp-inverse" => Box::new(move || {
            let mut result = blst_fp::default();
            // SAFETY: as said.
            unsafe { blst_fp_inverse(&mut result, black_box(&a)) };
            black_box(result);
        }),
        "fp12-product" => Box::new(move || {
            let mut result = blst_fp12::default();
            // SAFETY: as said.
            unsafe { blst_fp12_mul(&mut result, black_box(&f), &g) };
            black_box(result);
        }),
        "fp12-inverse" => Box::new(move || {
            let mut result = blst_fp12::default();
            // SAFETY: as said.
            unsafe { blst_fp12_inverse(&mut result, black_box(&f)) };
            black_box(result);
        }),
        "g1-multiple" => Box::new(move || {
            black_box(black_box(Point::<G1>::generator()).times(&scalar));
        }),
        "g2-multiple" => Box::new(move || {
            black_box(black_box(Point::<G2>::generator()).times(&scalar));
        }),
        "miller-loop" => Box::new(move || {
            let mut result = blst_fp12::default();
            // SAFETY: as said.
            unsafe { blst_miller_loop(&mut result, black_box(&q), &p) };
            black_box(result);
        }),
        "final-exponentiation" => Box::new(move || {
            let mut result = blst_fp12::default();
            // SAFETY: as said.
            unsafe { blst_final_exp(&mut result, black_box(&f)) };
            black_box(result);
        }),
        _ => Box::new(move || {
            let pair = (Point::<G1>::generator(), Point::<G2>::generator());
            black_box(pairing_product(black_box(&[pair])));
        }),
    }
}

/// The report of these records.
///
/// # Errors
/// If a record cannot be serialized.
pub fn report(records: &[CardRecord]) -> Result<BenchReport, String> {
    let titles = ["case", "published clocks", "clocks alone", "clocks in a batch", "processor us"];
    let row = |record: &CardRecord| {
        vec![
            record.case.to_owned(),
            record.published_clocks.map_or_else(|| "-".into(), |clocks| clocks.to_string()),
            record.clocks_alone.to_string(),
            record.clocks_in_batch.to_string(),
            format!("{:.3}", record.processor_us),
        ]
    };
    let contexts = records.first().map_or(0, |record| record.contexts);
    Ok(BenchReport {
        name: "bls12-381-card",
        caption: format!(
            "Clocks of the card's coprocessor with {contexts} contexts, in simulation, and of the \
             published one for a single operation, as its authors state; times on one thread of \
             this processor."
        ),
        columns: titles.map(str::to_owned).to_vec(),
        rows: records.iter().map(row).collect(),
        notes: Vec::new(),
        json: json_lines(records)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_the_published_table_has_clocks() {
        let records = measure(&Settings::new(3, 1), "").unwrap();
        let published: Vec<_> = records.iter().map(|record| record.published_clocks).collect();
        let stated = [49_800, 62_064, 38_844, 87_800, 126_644].map(Some);
        assert_eq!(published[..4], [None; 4]);
        assert_eq!(published[4..], stated);
        assert!(records.iter().all(|record| record.clocks_in_batch <= record.clocks_alone));
        let report = report(&records).unwrap();
        assert_eq!((report.rows.len(), report.json.len()), (9, 9));
    }
}
