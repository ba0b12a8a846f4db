// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commitments, proofs and cells of random blobs. The peers have tables of windows of eight bits.

use std::hint::black_box;
use std::rc::Rc;

use c_kzg::{Blob, Bytes48, KzgSettings};
use halimede_bls12_381::kzg::cells::{
    compute_cells_and_kzg_proofs, recover_cells_and_kzg_proofs, verify_cells, Cell,
};
use halimede_bls12_381::kzg::{blob_to_kzg_commitment, compute_blob_kzg_proof, Setup};
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};

use super::{settings, text, Blobs, PEER};
use crate::bls12_381::in_lanes;
use crate::comparison::Comparison;

const SECOND_PEER: &str = "rust_eth_kzg 0.10";

/// The width of the peer's windows in bits.
const WIDTH: usize = 8;

/// The largest number of blobs whose cells are verified together.
const BLOBS: usize = 6;

type Bytes = Vec<u8>;

/// Blobs with their commitments, cells and proofs.
struct Extended {
    blobs: Vec<Bytes>,
    commitments: Vec<[u8; 48]>,
    proofs: Vec<[u8; 48]>,
    cells: Vec<Vec<[u8; 2048]>>,
    cell_proofs: Vec<Vec<[u8; 48]>>,
}

impl Extended {
    /// Computes everything with ours, and compares commitments and proofs of blobs with the peer's.
    fn new(setup: &Setup) -> Result<Self, String> {
        let theirs = Blobs::new(BLOBS)?;
        let mut all = Self {
            blobs: theirs.blobs.iter().map(|blob| blob.to_vec()).collect(),
            commitments: Vec::new(),
            proofs: Vec::new(),
            cells: Vec::new(),
            cell_proofs: Vec::new(),
        };
        for (number, blob) in all.blobs.iter().enumerate() {
            let commitment = blob_to_kzg_commitment(setup, blob).map_err(text)?;
            let proof = compute_blob_kzg_proof(setup, blob, &commitment).map_err(text)?;
            let (cells, proofs) = compute_cells_and_kzg_proofs(setup, blob).map_err(text)?;
            if commitment[..] != theirs.commitments[number][..]
                || proof[..] != theirs.proofs[number][..]
            {
                return Err(format!("blob {number}: the commitments or the proofs differ"));
            }
            all.commitments.push(commitment);
            all.proofs.push(proof);
            all.cells.push(cells);
            all.cell_proofs.push(proofs);
        }
        Ok(all)
    }

    /// The cells of the first blobs.
    fn cells_of(&self, blobs: usize) -> Vec<Cell<'_>> {
        let of = |blob: usize| (0..128).map(move |index| (blob, index));
        let cell = |(blob, index): (usize, usize)| Cell {
            commitment: &self.commitments[blob],
            index: index as u64,
            cell: &self.cells[blob][index],
            proof: &self.cell_proofs[blob][index],
        };
        (0..blobs).flat_map(of).map(cell).collect()
    }

    /// The odd cells of the first blob with their indices.
    fn half(&self) -> (Vec<u64>, Vec<&[u8; 2048]>) {
        let odd = (0..64).map(|number| 2 * number + 1);
        odd.map(|index| (index as u64, &self.cells[0][index])).unzip()
    }
}

/// The peers.
struct Peers {
    c_kzg: &'static KzgSettings,
    rust_eth_kzg: DASContext,
}

type Work = Box<dyn FnMut()>;

/// Keeps the compiler from removing a computation.
fn consume<T>(value: T) {
    let _ = black_box(value);
}

/// Adds a case against both peers.
fn add(
    comparisons: &mut Vec<Comparison>,
    (case, units, aim): (&str, usize, f64),
    mut ours: impl FnMut() -> Work,
    [first, second]: [Work; 2],
) {
    for (peer, name, theirs) in
        [(PEER, case.to_owned(), first), (SECOND_PEER, format!("{case}-rust"), second)]
    {
        comparisons.push(in_lanes("kzg", peer, (name, units, Some(aim)), ours(), theirs));
    }
}

/// Adds commitments and proofs of a blob.
fn proofs(all: &Rc<Extended>, setup: &Setup, peers: &Rc<Peers>, to: &mut Vec<Comparison>) {
    let blob = Rc::new(Blob::from_bytes(&all.blobs[0]).unwrap_or_default());
    let commitment = Bytes48::new(all.commitments[0]);
    let ours = || -> Work {
        let (all, setup) = (Rc::clone(all), setup.clone());
        Box::new(move || consume(blob_to_kzg_commitment(&setup, &all.blobs[0])))
    };
    let (first, theirs) = (Rc::clone(&blob), peers.c_kzg);
    let (second, data) = (Rc::clone(peers), Rc::clone(all));
    let first: Work = Box::new(move || consume(theirs.blob_to_kzg_commitment(&first)));
    let second: Work = Box::new(move || {
        if let Ok(blob) = data.blobs[0][..].try_into() {
            consume(second.rust_eth_kzg.blob_to_kzg_commitment(blob));
        }
    });
    add(to, ("commitment", 1, 4.0), ours, [first, second]);

    let ours = || -> Work {
        let (all, setup) = (Rc::clone(all), setup.clone());
        Box::new(move || {
            let proof = compute_blob_kzg_proof(&setup, &all.blobs[0], &all.commitments[0]);
            consume(proof);
        })
    };
    let (second, data) = (Rc::clone(peers), Rc::clone(all));
    let first: Work = Box::new(move || consume(theirs.compute_blob_kzg_proof(&blob, &commitment)));
    let second: Work = Box::new(move || {
        if let Ok(blob) = data.blobs[0][..].try_into() {
            let commitment = &data.commitments[0];
            consume(second.rust_eth_kzg.compute_blob_kzg_proof(blob, commitment));
        }
    });
    add(to, ("proof", 1, 4.0), ours, [first, second]);
}

/// Adds cells with proofs, and their recovery.
fn cells(all: &Rc<Extended>, setup: &Setup, peers: &Rc<Peers>, to: &mut Vec<Comparison>) {
    let blob = Blob::from_bytes(&all.blobs[0]).unwrap_or_default();
    let ours = || -> Work {
        let (all, setup) = (Rc::clone(all), setup.clone());
        Box::new(move || consume(compute_cells_and_kzg_proofs(&setup, &all.blobs[0])))
    };
    let theirs = peers.c_kzg;
    let (second, data) = (Rc::clone(peers), Rc::clone(all));
    let first: Work = Box::new(move || consume(theirs.compute_cells_and_kzg_proofs(&blob)));
    let second: Work = Box::new(move || {
        if let Ok(blob) = data.blobs[0][..].try_into() {
            consume(second.rust_eth_kzg.compute_cells_and_kzg_proofs(blob));
        }
    });
    add(to, ("cells", 1, 3.0), ours, [first, second]);

    let ours = || -> Work {
        let (all, setup) = (Rc::clone(all), setup.clone());
        Box::new(move || {
            let (indices, half) = all.half();
            let half: Vec<&[u8]> = half.iter().map(|cell| &cell[..]).collect();
            consume(recover_cells_and_kzg_proofs(&setup, &indices, &half));
        })
    };
    let (indices, half) = all.half();
    let half: Vec<c_kzg::Cell> = half.into_iter().map(|cell| c_kzg::Cell::new(*cell)).collect();
    let (second, data) = (Rc::clone(peers), Rc::clone(all));
    let first: Work =
        Box::new(move || consume(theirs.recover_cells_and_kzg_proofs(&indices, &half)));
    let second: Work = Box::new(move || {
        let (indices, half) = data.half();
        consume(second.rust_eth_kzg.recover_cells_and_kzg_proofs(indices, half));
    });
    add(to, ("recovery", 1, 3.0), ours, [first, second]);
}

/// Adds the verification of all cells of some blobs.
fn verification(
    (all, blobs): (&Rc<Extended>, usize),
    setup: &Setup,
    peers: &Rc<Peers>,
    to: &mut Vec<Comparison>,
) -> Result<(), String> {
    let ours = || -> Work {
        let (all, setup) = (Rc::clone(all), setup.clone());
        Box::new(move || consume(verify_cells(&setup, &all.cells_of(blobs))))
    };
    let rows = all.cells_of(blobs);
    let bytes = |bytes: &[u8]| Bytes48::from_bytes(bytes).map_err(text);
    let commitments =
        rows.iter().map(|cell| bytes(cell.commitment)).collect::<Result<Vec<_>, _>>()?;
    let proofs = rows.iter().map(|cell| bytes(cell.proof)).collect::<Result<Vec<_>, _>>()?;
    let indices: Vec<u64> = rows.iter().map(|cell| cell.index).collect();
    let cells: Vec<c_kzg::Cell> =
        all.cells[..blobs].iter().flatten().map(|cell| c_kzg::Cell::new(*cell)).collect();
    let theirs = peers.c_kzg;
    let verdict = theirs.verify_cell_kzg_proof_batch(&commitments, &indices, &cells, &proofs);
    let expected = vec![Ok(true); rows.len()];
    if verify_cells(setup, &rows) != expected || !matches!(verdict, Ok(true)) {
        return Err(format!("cells of {blobs} blobs: the verdicts differ"));
    }
    let (second, data) = (Rc::clone(peers), Rc::clone(all));
    let first: Work = Box::new(move || {
        consume(theirs.verify_cell_kzg_proof_batch(&commitments, &indices, &cells, &proofs));
    });
    let second: Work = Box::new(move || {
        let indices: Vec<u64> = (0..blobs as u64).flat_map(|_| 0..128).collect();
        let commitments = data.commitments[..blobs].iter();
        let commitments = commitments.flat_map(|commitment| [commitment; 128]).collect();
        let cells = data.cells[..blobs].iter().flatten().collect();
        let proofs = data.cell_proofs[..blobs].iter().flatten().collect();
        let peer = &second.rust_eth_kzg;
        consume(peer.verify_cell_kzg_proof_batch(commitments, &indices, cells, proofs));
    });
    let name = format!("verify-cells-{}", 128 * blobs);
    add(to, (&name, 128 * blobs, 4.0), ours, [first, second]);
    Ok(())
}

/// All cases.
pub(super) fn comparisons(setup: &Setup, to: &mut Vec<Comparison>) -> Result<(), String> {
    setup.prepare().map_err(text)?;
    let all = Rc::new(Extended::new(setup)?);
    let precomputed = UsePrecomp::Yes { width: WIDTH };
    let peers = Rc::new(Peers {
        c_kzg: settings(),
        rust_eth_kzg: DASContext::new(&TrustedSetup::default(), precomputed),
    });
    proofs(&all, setup, &peers, to);
    cells(&all, setup, &peers, to);
    for blobs in [1, BLOBS] {
        verification((&all, blobs), setup, &peers, to)?;
    }
    Ok(())
}
