// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ethereum's cases of commitments and cells, and random ones against the crate `c-kzg`.

use std::sync::Arc;

use c_kzg::{ethereum_kzg_settings, Blob, Bytes32, Bytes48, KzgSettings};
use halimede_bls12_381::kzg::cells::{
    compute_cells, compute_cells_and_kzg_proofs, recover_cells, recover_cells_and_kzg_proofs,
    verify_cell_kzg_proof_batch, verify_cells, Cell, CellProofs, Cells, CELL_BYTES, CELL_ELEMENTS,
    EXTENDED_CELLS, LEAST_CELLS,
};
use halimede_bls12_381::kzg::{
    blob_to_kzg_commitment, compute_blob_kzg_proof, compute_kzg_proof, prepared_bytes,
    OpeningError, Setup, SetupError, BLOB_BYTES, BLOB_ELEMENTS,
};
use halimede_bls12_381::{Fr, Point, PointError, G1, G2};
use rand::seq::SliceRandom;
use rand::{Rng, RngCore};

use crate::common::kzg_cases::{published, Case};
use crate::common::{cases, generator, random_scalar, stray_point};
use crate::kzg::{SETUP, SETUP_TEXT};

/// Checks an answer of cells and proofs.
fn check(case: &Case, answer: Result<(Cells, CellProofs), OpeningError>) {
    let answer = answer.map_err(|error| format!("{}: {error}", case.name));
    let Some([cells, proofs]) = case.output.as_deref() else {
        assert!(answer.is_err(), "{}", case.name);
        return;
    };
    let (found, found_proofs) = answer.unwrap();
    assert!(found.concat() == cells.concat(), "{}", case.name);
    assert!(found_proofs.concat() == proofs.concat(), "{}", case.name);
}

#[test]
fn published_commitments_and_proofs() {
    for case in published("blob_to_kzg_commitment") {
        let answer = blob_to_kzg_commitment(&SETUP, case.one("blob")).ok();
        let expected = case.output.as_ref().map(|output| &output[0][0][..]);
        assert_eq!(answer.as_ref().map(|answer| &answer[..]), expected, "{}", case.name);
    }
    for case in published("compute_blob_kzg_proof") {
        let (blob, commitment) = (case.one("blob"), case.one("commitment"));
        let answer = compute_blob_kzg_proof(&SETUP, blob, commitment).ok();
        let expected = case.output.as_ref().map(|output| &output[0][0][..]);
        assert_eq!(answer.as_ref().map(|answer| &answer[..]), expected, "{}", case.name);
    }
}

#[test]
fn published_cells() {
    for case in published("compute_cells_and_kzg_proofs") {
        let blob = case.one("blob");
        check(&case, compute_cells_and_kzg_proofs(&SETUP, blob));
        let cells = compute_cells(blob).ok();
        let expected = case.output.as_ref().map(|output| &output[0][..]);
        assert!(cells.is_some() == expected.is_some(), "{}", case.name);
        assert!(cells.map(|cells| cells.concat()) == expected.map(<[_]>::concat), "{}", case.name);
    }
    for case in published("recover_cells_and_kzg_proofs") {
        let cells = case.all("cells");
        check(&case, recover_cells_and_kzg_proofs(&SETUP, &case.indices, &cells));
    }
    for case in published("verify_cell_kzg_proof_batch") {
        let [commitments, cells, proofs] =
            ["commitments", "cells", "proofs"].map(|name| case.all(name));
        let answer =
            verify_cell_kzg_proof_batch(&SETUP, &commitments, &case.indices, &cells, &proofs);
        assert_eq!(answer.clone().ok(), case.verdict, "{}: {answer:?}", case.name);
    }
}

fn peer() -> &'static KzgSettings {
    ethereum_kzg_settings(0)
}

/// Values at random, at the edges, or of a polynomial of a low degree.
fn random_blob(rng: &mut impl RngCore, kind: usize) -> Vec<u8> {
    let value = |number: usize, rng: &mut dyn FnMut() -> Fr| match kind % 4 {
        0 => rng(),
        1 => [Fr::ZERO, Fr::ONE, -Fr::ONE, rng()][number % 4],
        2 => Fr::from(77),
        _ => [Fr::ZERO, rng()][usize::from(number == 100)],
    };
    let mut next = || random_scalar(rng);
    (0..BLOB_ELEMENTS).flat_map(|number| value(number, &mut next).to_be_bytes()).collect()
}

#[test]
fn commitments_and_proofs_are_the_peers() {
    let mut rng = generator();
    for kind in 0..cases(5, 200) {
        let bytes = random_blob(&mut rng, kind);
        let blob = Blob::from_bytes(&bytes).unwrap();
        let commitment = blob_to_kzg_commitment(&SETUP, &bytes).unwrap();
        let expected = peer().blob_to_kzg_commitment(&blob).unwrap().to_bytes();
        assert_eq!(commitment[..], expected[..], "{kind}");
        let proof = compute_blob_kzg_proof(&SETUP, &bytes, &commitment).unwrap();
        let expected = peer().compute_blob_kzg_proof(&blob, &expected).unwrap().to_bytes();
        assert_eq!(proof[..], expected[..], "{kind}");
        // Anywhere, and at a root of unity: ω = 7^((r − 1)/4096).
        let root = halimede_arith::transform::Generator::Seven.root_of_order(12);
        for z in [random_scalar(&mut rng), root.pow(&[rng.gen_range(0..4096)]), Fr::ZERO] {
            let z = z.to_be_bytes();
            let (proof, y) = compute_kzg_proof(&SETUP, &bytes, &z).unwrap();
            let expected = peer().compute_kzg_proof(&blob, &Bytes32::new(z)).unwrap();
            assert_eq!((&proof[..], &y[..]), (&expected.0.to_bytes()[..], &expected.1[..]));
        }
    }
}

/// A blob's commitment, cells and proofs.
struct Extended {
    commitment: [u8; 48],
    cells: Cells,
    proofs: CellProofs,
}

impl Extended {
    fn random(rng: &mut impl RngCore, kind: usize) -> Self {
        let blob = random_blob(rng, kind);
        let (cells, proofs) = compute_cells_and_kzg_proofs(&SETUP, &blob).unwrap();
        Self { commitment: blob_to_kzg_commitment(&SETUP, &blob).unwrap(), cells, proofs }
    }

    fn cell(&self, index: usize) -> Cell<'_> {
        Cell {
            commitment: &self.commitment,
            index: index as u64,
            cell: &self.cells[index],
            proof: &self.proofs[index],
        }
    }
}

#[test]
fn cells_and_recovered_cells_are_the_peers() {
    let mut rng = generator();
    for kind in 0..cases(3, 60) {
        let bytes = random_blob(&mut rng, kind);
        let (cells, proofs) = compute_cells_and_kzg_proofs(&SETUP, &bytes).unwrap();
        assert_eq!(compute_cells(&bytes).unwrap(), cells);
        let blob = Blob::from_bytes(&bytes).unwrap();
        let (expected, expected_proofs) = peer().compute_cells_and_kzg_proofs(&blob).unwrap();
        for index in 0..EXTENDED_CELLS {
            assert_eq!(cells[index], expected[index].to_bytes(), "{kind}, {index}");
            assert_eq!(proofs[index][..], expected_proofs[index].to_bytes()[..], "{kind}, {index}");
        }
        let count = [LEAST_CELLS, LEAST_CELLS + 1, 100, EXTENDED_CELLS][kind % 4];
        let mut indices: Vec<u64> = (0..EXTENDED_CELLS as u64).collect();
        indices.shuffle(&mut rng);
        indices.truncate(count);
        indices.sort_unstable();
        let given: Vec<&[u8]> = indices.iter().map(|index| &cells[*index as usize][..]).collect();
        let recovered = recover_cells_and_kzg_proofs(&SETUP, &indices, &given).unwrap();
        assert!(recover_cells(&indices, &given).unwrap() == cells, "{kind}: {count} cells");
        assert!(recovered == (cells, proofs), "{kind}: {count} cells");
    }
}

/// Cells of no polynomial of low degree: the result is another blob's, and does not depend on how
/// it is recovered again.
#[test]
fn recovery_from_inconsistent_cells_is_a_blob() {
    let mut rng = generator();
    let [first, second] = [0, 1].map(|kind| compute_cells(&random_blob(&mut rng, kind)).unwrap());
    let indices: Vec<u64> = (0..70).map(|number| number + number / 3).collect();
    let rows = indices.iter().map(|index| match index % 5 {
        0 => &second[*index as usize][..],
        _ => &first[*index as usize][..],
    });
    let given: Vec<&[u8]> = rows.collect();
    let (cells, proofs) = recover_cells_and_kzg_proofs(&SETUP, &indices, &given).unwrap();
    assert!(cells[0] != second[0] && cells[1] != first[1]);
    let blob = cells[..64].concat();
    assert!(compute_cells_and_kzg_proofs(&SETUP, &blob).unwrap() == (cells, proofs));
}

#[test]
fn bad_cells_are_named() {
    let mut rng = generator();
    let blobs: Vec<Extended> = (0..3).map(|kind| Extended::random(&mut rng, kind)).collect();
    let all: Vec<Cell<'_>> = (0..40)
        .map(|_| blobs[rng.gen_range(0..3usize)].cell(rng.gen_range(0..EXTENDED_CELLS)))
        .collect();
    assert_eq!(verify_cells(&SETUP, &all), vec![Ok(true); all.len()]);
    assert_eq!(verify_cells(&SETUP, &[]), []);
    for bad in [1, 2, 7, 40] {
        let mut cells = all.clone();
        let mut expected = vec![Ok(true); cells.len()];
        for number in 0..bad {
            let place = number * cells.len() / bad;
            // Another commitment, index, cell or proof.
            let other = blobs[0].cell(rng.gen_range(0..EXTENDED_CELLS));
            let old = cells[place];
            match number % 4 {
                0 => cells[place].cell = &blobs[0].cells[(old.index as usize + 1) % 128],
                1 => cells[place].commitment = &blobs[2].commitment,
                2 => cells[place].index = (old.index + 1) % 128,
                _ => cells[place].proof = other.proof,
            }
            expected[place] = Ok(is_valid(&cells[place]));
        }
        assert!(expected.contains(&Ok(false)), "{bad}");
        assert_eq!(verify_cells(&SETUP, &cells), expected, "{bad}");
    }
}

fn is_valid(cell: &Cell<'_>) -> bool {
    let bytes = |bytes: &[u8]| Bytes48::from_bytes(bytes).unwrap();
    let cells = [c_kzg::Cell::new(cell.cell.try_into().unwrap())];
    let (commitment, proof) = (bytes(cell.commitment), bytes(cell.proof));
    peer().verify_cell_kzg_proof_batch(&[commitment], &[cell.index], &cells, &[proof]).unwrap()
}

/// A bit of any part is flipped: the answer is invalid or an error.
#[test]
fn no_flipped_bit_is_valid() {
    let mut rng = generator();
    let blob = Extended::random(&mut rng, 0);
    for _ in 0..cases(24, 2000) {
        let good = blob.cell(rng.gen_range(0..EXTENDED_CELLS));
        let mut parts = [good.commitment.to_vec(), good.cell.to_vec(), good.proof.to_vec()];
        let mut index = good.index;
        let part = rng.gen_range(0..4);
        match parts.get_mut(part) {
            Some(bytes) => {
                let place = rng.gen_range(0..8 * bytes.len());
                bytes[place / 8] ^= 1 << (place % 8);
            }
            None => index ^= 1 << rng.gen_range(0..7),
        }
        let [commitment, cell, proof] = &parts;
        let bad = Cell { commitment, index, cell, proof };
        let answers = verify_cells(&SETUP, &[good, bad, good]);
        assert_eq!([&answers[0], &answers[2]], [&Ok(true); 2]);
        assert_ne!(answers[1], Ok(true), "part {part}");
    }
}

/// Two errors that cancel in the sum without multipliers.
#[test]
fn chosen_errors_that_cancel_are_named() {
    let mut rng = generator();
    let blob = Extended::random(&mut rng, 0);
    let error = Point::<G1>::generator().times(&random_scalar(&mut rng));
    let mut proofs = blob.proofs.clone();
    for (place, error) in [(3, error), (9, error.negated())] {
        let wrong = Point::<G1>::from_bytes(&proofs[place]).unwrap().plus(&error);
        proofs[place].copy_from_slice(&wrong.to_compressed());
    }
    let cells: Vec<Cell<'_>> =
        (0..12).map(|index| Cell { proof: &proofs[index], ..blob.cell(index) }).collect();
    let answers = verify_cells(&SETUP, &cells);
    let expected: Vec<_> = (0..12).map(|index| Ok(![3, 9].contains(&index))).collect();
    assert_eq!(answers, expected);
}

/// r, the order of the groups.
fn order() -> [u8; 32] {
    let mut bytes = (-Fr::from(1)).to_be_bytes();
    bytes[31] += 1; // r ends in 01
    bytes
}

#[test]
fn what_cannot_be_decoded_is_told() {
    let mut rng = generator();
    let blob = Extended::random(&mut rng, 3);
    let good = blob.cell(5);
    let verify = |cell: Cell<'_>| verify_cells(&SETUP, &[good, cell]).pop().unwrap().unwrap_err();
    let error = verify(Cell { index: 128, ..good });
    assert_eq!(error, OpeningError::CellIndex { got: 128, last: 127 });
    let error = verify(Cell { index: u64::MAX, ..good });
    assert_eq!(error, OpeningError::CellIndex { got: u64::MAX, last: 127 });
    let error = verify(Cell { cell: &good.cell[1..], ..good });
    let (expected, got) = (CELL_BYTES, CELL_BYTES - 1);
    assert_eq!(error, OpeningError::Length { name: "cell", expected, got });
    let mut wrong = good.cell.to_vec();
    wrong[32 * 63..].copy_from_slice(&order());
    let error = verify(Cell { cell: &wrong, ..good });
    assert_eq!(error, OpeningError::CellElement { index: CELL_ELEMENTS - 1 });
    let stray = stray_point::<G1>(&mut rng).to_compressed();
    let error = verify(Cell { proof: &stray, ..good });
    assert_eq!(error, OpeningError::Proof(PointError::WrongSubgroup));
    let error = verify(Cell { commitment: &stray, ..good });
    assert_eq!(error, OpeningError::Commitment(PointError::WrongSubgroup));

    let cells: Vec<&[u8]> = blob.cells.iter().map(|cell| &cell[..]).collect();
    let indices: Vec<u64> = (0..128).collect();
    let recover = |indices: &[u64], cells: &[&[u8]]| {
        recover_cells_and_kzg_proofs(&SETUP, indices, cells).unwrap_err()
    };
    let count = |got| OpeningError::CellCount { least: 64, most: 128, got };
    assert_eq!(recover(&indices[..63], &cells[..63]), count(63));
    assert_eq!(
        recover(&[&indices[..], &[1]].concat(), &[&cells[..], &cells[..1]].concat()),
        count(129)
    );
    let counts = OpeningError::CellCounts { indices: 65, cells: 66 };
    assert_eq!(recover(&indices[..65], &cells[..66]), counts);
    let mut twice = indices[..66].to_vec();
    twice[40] = 39;
    assert_eq!(recover(&twice, &cells[..66]), OpeningError::CellOrder { position: 40 });
    twice[40] = 128;
    let error = recover(&twice, &cells[..66]);
    assert!(matches!(error, OpeningError::CellOfList { position: 40, .. }), "{error}");
    let mut some = cells[..66].to_vec();
    some[65] = &wrong;
    let error = recover(&indices[..66], &some);
    assert_eq!(
        error.to_string(),
        "cell 65 of the list: element 63 of the cell is not below the order of the groups"
    );

    let mut bytes = random_blob(&mut rng, 0);
    bytes[32 * 9..][..32].copy_from_slice(&order());
    let error = OpeningError::BlobElement { index: 9 };
    assert_eq!(blob_to_kzg_commitment(&SETUP, &bytes), Err(error.clone()));
    assert_eq!(compute_cells(&bytes), Err(error.clone()));
    assert_eq!(compute_kzg_proof(&SETUP, &bytes, &[1; 32]), Err(error));
    let error = OpeningError::Length { name: "blob", expected: BLOB_BYTES, got: 3 };
    assert_eq!(compute_cells_and_kzg_proofs(&SETUP, &[1; 3]), Err(error));
    let error = OpeningError::NotCanonical { name: "z" };
    assert_eq!(compute_kzg_proof(&SETUP, &[0; BLOB_BYTES], &order()), Err(error));
}

/// Verification checks the points that it needs, commitments and proofs all.
#[test]
fn setups_whose_points_do_not_belong_together() {
    let blob = vec![0; BLOB_BYTES];
    let tau_only = Setup::of_tau(Point::<G2>::generator()).unwrap();
    let error = OpeningError::Setup(SetupError::NoPoints);
    assert_eq!(blob_to_kzg_commitment(&tau_only, &blob), Err(error.clone()));
    let cell = Cell { commitment: &[], index: 0, cell: &[], proof: &[] };
    assert_eq!(verify_cells(&tau_only, &[cell]), [Err(error)]);

    let lines: Vec<&str> = SETUP_TEXT.lines().collect();
    let (g2, powers) = (2 + 4096, 2 + 4096 + 65);
    let of = |line: usize, text: &str| {
        let mut lines = lines.clone();
        lines[line] = text;
        Setup::read(&lines.join("\n")).unwrap()
    };
    let commit = |setup: &Setup| blob_to_kzg_commitment(setup, &blob).unwrap_err();
    let verify = |setup: &Setup| verify_cells(setup, &[cell]).pop().unwrap().unwrap_err();
    let setup = of(powers + 900, lines[powers + 901]);
    assert_eq!(commit(&setup), OpeningError::Setup(SetupError::NotPowers));
    assert!(matches!(verify(&setup), OpeningError::Commitment(_)));
    let setup = of(powers + 60, lines[powers + 61]);
    assert_eq!(verify(&setup), OpeningError::Setup(SetupError::NotPowers));
    let setup = of(g2 + 64, lines[g2 + 63]);
    assert_eq!(verify(&setup), OpeningError::Setup(SetupError::NotPowerOfG2 { index: 64 }));
    let setup = of(1000, lines[1001]);
    assert_eq!(commit(&setup), OpeningError::Setup(SetupError::NotLagrange));
    let setup = of(1000, &"00".repeat(48));
    let OpeningError::Setup(SetupError::Point { line, .. }) = commit(&setup) else { panic!() };
    assert_eq!(line, 1001);
}

/// Clones share their tables, whose size is stated.
#[test]
fn threads_share_a_setup() {
    assert!((40 << 20..105 << 20).contains(&prepared_bytes()));
    let setup = Arc::new(SETUP.clone());
    let blob = random_blob(&mut generator(), 0);
    let expected = blob_to_kzg_commitment(&setup, &blob).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let (setup, blob) = (Arc::clone(&setup), &blob);
            scope.spawn(move || {
                assert_eq!(blob_to_kzg_commitment(&setup, blob), Ok(expected));
            });
        }
    });
}
