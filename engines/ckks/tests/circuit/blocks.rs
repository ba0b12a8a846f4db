// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices of blocks, and plans of several expressions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use halimede_ckks::circuit::{CircuitError, Input};
use halimede_ckks::linear::{BlockMatrix, LinearError};
use halimede_ckks::{Ciphertext, Complex, Diagonals, Expression, Parameters, Plan};
use rand::Rng;

use super::setting::{Pair, Setting};

const PRESET: &str = "n10-insecure";

/// Returns a random square with some diagonals.
fn block(setting: &mut Setting, slots: usize, diagonals: usize) -> Arc<Diagonals> {
    let diagonal = |setting: &mut Setting| {
        let step = setting.rng.gen_range(0..slots as i64);
        let scale = Complex::from(1.0 / diagonals as f64);
        (step, setting.values(slots).into_iter().map(|x| x * scale).collect())
    };
    let diagonals: Vec<(i64, Vec<Complex>)> = (0..diagonals).map(|_| diagonal(setting)).collect();
    Arc::new(Diagonals::new(slots, diagonals).unwrap().public())
}

/// Returns rows of blocks. Some blocks are absent, except in the first column.
fn matrix(setting: &mut Setting, [rows, columns, slots]: [usize; 3]) -> BlockMatrix {
    let mut row = || -> Vec<_> {
        let entry = |column: usize, setting: &mut Setting| {
            let diagonals = setting.rng.gen_range(1..12);
            let is_there = column == 0 || setting.rng.gen_bool(0.7);
            is_there.then(|| block(setting, slots, diagonals))
        };
        (0..columns).map(|column| entry(column, setting)).collect()
    };
    BlockMatrix::new((0..rows).map(|_| row()).collect()).unwrap()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|place| format!("x{place}")).collect()
}

/// Returns the rows of a matrix times inputs by name, planned together.
fn planned(matrix: &BlockMatrix, parameters: &Parameters, vectors: &[&Ciphertext]) -> Plan {
    let names = names(vectors.len());
    let inputs: Vec<Expression> = names.iter().map(|name| Expression::input(&**name)).collect();
    let described = names.iter().zip(vectors).map(|(name, a)| (name.clone(), Input::from(*a)));
    let products = Expression::block_transform(&inputs, matrix.clone());
    Plan::of_all(&products, parameters, &described.collect()).unwrap()
}

#[test]
fn blocks_share_rotations_and_give_the_products_of_their_sums() {
    for [rows, columns, slots] in [[1, 2, 16], [3, 1, 64], [2, 3, 512], [4, 5, 8]] {
        let mut setting = Setting::new(PRESET, &[]);
        let parameters = setting.client.parameters().clone();
        let matrix = matrix(&mut setting, [rows, columns, slots]);
        // Vectors of different levels are brought to the lowest.
        let pairs: Vec<Pair> =
            (0..columns).map(|column| setting.pair(slots, 2 + column % 2)).collect();
        let ciphertexts: Vec<&Ciphertext> = pairs.iter().map(|pair| &pair.ciphertext).collect();
        let plan = planned(&matrix, &parameters, &ciphertexts);
        let wanted: Vec<i64> = (0..rows).flat_map(|row| matrix.rotations(row)).collect();
        let operations = plan.operations();
        assert!(operations.rotations.iter().all(|by| wanted.contains(by)) && !operations.multiply);
        assert!(matrix.key_switches() <= wanted.len() * columns);
        let server = setting.client.server(&operations);
        let names = names(columns);
        let given: Vec<(&str, &Ciphertext)> =
            names.iter().map(String::as_str).zip(ciphertexts.iter().copied()).collect();
        let mut told = Vec::new();
        let products = server.run_plan_all(&plan, &given, None, |moment| {
            told.push(moment.place());
            ControlFlow::Continue(())
        });
        let products = products.unwrap();
        assert_eq!(told, (0..plan.steps().len()).collect::<Vec<_>>());
        assert_eq!(products.len(), rows);
        for (product, row) in products.iter().zip(matrix.rows()) {
            let mut sum = vec![Complex::default(); slots];
            for (block, pair) in row.iter().zip(&pairs) {
                let Some(block) = block else { continue };
                let terms = block.apply(&pair.plain);
                sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum = *sum + term);
            }
            assert_eq!(product.level(), 1);
            setting.check(product, &sum, "a row of blocks");
        }
    }
}

#[test]
fn blocks_that_do_not_fit_are_refused() {
    let mut setting = Setting::new(PRESET, &[]);
    let parameters = setting.client.parameters().clone();
    let [a, b] = [8, 16].map(|slots| block(&mut setting, slots, 2));
    let none = LinearError::Blocks { rows: 0, columns: 0, slots: 0 };
    assert_eq!(BlockMatrix::new(Vec::new()).unwrap_err(), none);
    for rows in [
        vec![vec![Some(a.clone()), Some(b.clone())]],
        vec![vec![Some(a.clone())], vec![Some(a.clone()), None]],
        vec![vec![Some(a.clone())], vec![None]],
        vec![vec![]],
        vec![vec![Some(Arc::new(Diagonals::of_matrix(2, 3, &[Complex::from(1.0); 6]).unwrap()))]],
    ] {
        let error = BlockMatrix::new(rows).unwrap_err();
        assert!(matches!(error, LinearError::Blocks { .. }), "{error}");
    }
    let matrix = Arc::new(BlockMatrix::new(vec![vec![Some(a.clone()), Some(a)]]).unwrap());
    let input = Input { length: 8, ..Input::fresh(&parameters, halimede_ckks::Bound::real(1.0)) };
    let long = Input { length: 16, ..input };
    let inputs = BTreeMap::from([("x".to_owned(), input), ("long".to_owned(), long)]);
    let [x, long] = ["x", "long"].map(Expression::input);
    let plain = Expression::plain(&[Complex::from(0.5); 8]);
    let error = |vectors: &[Expression]| {
        let products = Expression::block_transform(vectors, matrix.clone());
        Plan::of_all(&products, &parameters, &inputs).err().unwrap()
    };
    let few = error(std::slice::from_ref(&x)).to_string();
    assert!(few.contains("2 columns of blocks needs 2 vectors; got 1"), "{few}");
    let other = error(&[x.clone(), long]).to_string();
    assert!(other.contains("16") && other.contains('8'), "{other}");
    assert_eq!(error(&[x.clone(), plain]), CircuitError::PlainBlock);
    assert!(matches!(
        Plan::of_all(&[], &parameters, &inputs).err(),
        Some(CircuitError::NothingEncrypted)
    ));
}

#[test]
fn expressions_that_are_planned_together_share_their_steps() {
    let mut setting = Setting::new(PRESET, &[1]);
    let Pair { plain, ciphertext } = setting.pair(4, 3);
    let x = Expression::input("x");
    let square = &x * &x;
    // An intermediate value is a result too, and one is listed twice.
    let expressions = [square.rotate(1), square.clone(), x.clone(), square.clone()];
    let inputs = BTreeMap::from([("x".to_owned(), Input::from(&ciphertext))]);
    let parameters = setting.client.parameters().clone();
    let plan = Plan::of_all(&expressions, &parameters, &inputs).unwrap();
    assert_eq!((plan.steps().len(), plan.results()), (3, &[2, 1, 0, 1][..]));
    assert_eq!(plan.level(), 2);
    let given = [("x", &ciphertext)];
    let results = setting.server.run_plan_all(&plan, &given, None, |_| ControlFlow::Continue(()));
    let squares: Vec<Complex> = plain.iter().map(|x| *x * *x).collect();
    let mut rotated = squares.clone();
    rotated.rotate_left(1);
    for (got, wanted) in results.unwrap().iter().zip([&rotated, &squares, &plain, &squares]) {
        setting.check(got, wanted, "planned together");
    }
    let first = setting.server.run_plan(&plan, &given, |_| {}).unwrap();
    setting.check(&first, &rotated, "the first");
}
