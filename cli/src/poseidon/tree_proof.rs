// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon prove` and `verify`: proves a leaf from a stored tree, and checks the proof.

use std::fs::File;
use std::io::{stdin, Read};
use std::path::{Path, PathBuf};

use halimede_device::Device;
use halimede_poseidon::tree::{ByteLeaves, ColumnLeaves, LeafKind, Proof, Tree, TreeError};

use crate::arguments::{ProveOptions, VerifyOptions};
use crate::devices::open;
use crate::error::CommandError;
use crate::file_kind::{not_wanted, not_wanted_bytes, PROOF, STORED_TREE};
use crate::files::{open_file, open_whole};
use crate::output::print_line;

/// The maximum length of a proof: four times that of 64 levels of arity 36.
const PROOF_LIMIT_BYTES: u64 = 1 << 20;

pub fn prove(options: &ProveOptions, json: bool) -> Result<(), CommandError> {
    let tree_error = |source| match source {
        TreeError::Header { .. } => not_wanted(&options.tree, STORED_TREE, source),
        source => CommandError::Tree { path: options.tree.clone(), source },
    };
    let mut tree = Tree::open(open_file(&options.tree)?.0).map_err(tree_error)?;
    require_inputs(options, tree.layout().kind())?;
    let device = open(&options.device)?;
    let proof = prove_from_inputs(options, &device, &mut tree)?;
    let text =
        if json { serde_json::to_string(&proof) } else { serde_json::to_string_pretty(&proof) };
    let text = text.map_err(|error| CommandError::BadInput(error.to_string()))?;
    print_line(&text)
}

/// Refuses leaves if the tree needs columns, and vice versa.
fn require_inputs(options: &ProveOptions, kind: LeafKind) -> Result<(), CommandError> {
    let reason = match kind {
        LeafKind::Elements if !options.columns.is_empty() => {
            "its leaves are not hashes of columns; give them with --leaves".to_string()
        }
        LeafKind::Columns(labels) if options.leaves.is_some() => {
            format!("its leaves are hashes of columns; give the {labels} layers with --columns")
        }
        LeafKind::Columns(labels)
            if !options.columns.is_empty() && options.columns.len() != labels =>
        {
            format!(
                "its columns have {labels} labels; --columns has {} files",
                options.columns.len()
            )
        }
        _ => return Ok(()),
    };
    Err(CommandError::BadInput(format!("{}: {reason}", options.tree.display())))
}

fn prove_from_inputs(
    options: &ProveOptions,
    device: &Device,
    tree: &mut Tree<File>,
) -> Result<Proof, CommandError> {
    let index = options.index;
    let (rule, strength) = (tree.layout().leaf_rule(), tree.layout().strength());
    if let Some(path) = &options.leaves {
        let of_leaves = |source| CommandError::Tree { path: path.clone(), source };
        let mut leaves = ByteLeaves::open(open_file(path)?.0, rule).map_err(of_leaves)?;
        return tree
            .proof_with(device, &mut leaves, index)
            .map_err(|source| named(options, std::slice::from_ref(path), source));
    }
    if options.columns.is_empty() {
        return tree.proof(index).map_err(|source| match source {
            TreeError::Row { row: 0, .. } => CommandError::BadInput(format!(
                "{}: the tree does not store its leaves; give them with --leaves or --columns",
                options.tree.display()
            )),
            source => named(options, &[], source),
        });
    }
    let open_layer = |path: &PathBuf| open_file(path).map(|(file, _)| file);
    let layers = options.columns.iter().map(open_layer).collect::<Result<Vec<_>, _>>()?;
    ColumnLeaves::open(device, strength, layers, rule)
        .and_then(|mut columns| tree.proof_with(device, &mut columns, index))
        .map_err(|source| named(options, &options.columns, source))
}

/// Adds the name of the file to an error.
fn named(options: &ProveOptions, inputs: &[PathBuf], source: TreeError) -> CommandError {
    let index = match source {
        TreeError::Layer { layer, .. } | TreeError::LayerLength { layer, .. } => Some(layer - 1),
        TreeError::Leaf { .. } | TreeError::LeafCount { .. } | TreeError::OtherLeaves { .. } => {
            Some(0)
        }
        _ => None,
    };
    let path = index.and_then(|index| inputs.get(index)).unwrap_or(&options.tree);
    CommandError::Tree { path: path.clone(), source }
}

pub fn verify(options: &VerifyOptions, json: bool) -> Result<(), CommandError> {
    let proof = read_proof(&options.proof)?;
    let outcome = check(options, &proof);
    let (index, leaves) = (proof.leaf_index(), proof.leaves());
    match (&outcome, json) {
        (Ok(()), false) => {
            print_line(&format!("valid: leaf {index} of {leaves} is {}", proof.leaf()))?
        }
        (Err(_), false) => {}
        (outcome, true) => {
            let column: Vec<String> = proof.column().iter().map(ToString::to_string).collect();
            let object = serde_json::json!({
                "valid": outcome.is_ok(), "reason": outcome.as_ref().err(), "leaf_index": index,
                "leaves": leaves, "leaf": proof.leaf().to_string(), "column": column,
                "root": options.root.to_string(),
            });
            print_line(&object.to_string())?;
        }
    }
    outcome.map_err(|reason| CommandError::ProofFails { path: options.proof.clone(), reason })
}

/// Verifies a proof against the expectations of the options. Returns the reason of a failure.
fn check(options: &VerifyOptions, proof: &Proof) -> Result<(), String> {
    proof.verify(&options.root).map_err(|invalid| invalid.to_string())?;
    let (index, leaves) = (proof.leaf_index(), proof.leaves());
    match (options.index, options.leaf_count) {
        (Some(wanted), _) if wanted != index => {
            Err(format!("it is for leaf {index}, not {wanted}"))
        }
        (_, Some(wanted)) if wanted != leaves => {
            Err(format!("it is for a tree of {leaves} leaves, not of {wanted}"))
        }
        _ => Ok(()),
    }
}

fn read_proof(path: &Path) -> Result<Proof, CommandError> {
    let file_error = |source| CommandError::File { path: path.to_path_buf(), source };
    let input: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(stdin()),
        false => Box::new(open_whole(path)?.0),
    };
    let mut text = Vec::new();
    input.take(PROOF_LIMIT_BYTES + 1).read_to_end(&mut text).map_err(file_error)?;
    let refused =
        |reason: String| not_wanted_bytes(path, &text, PROOF, format!("not a proof: {reason}"));
    if text.len() as u64 > PROOF_LIMIT_BYTES {
        return Err(refused(format!("it is longer than {PROOF_LIMIT_BYTES} bytes")));
    }
    serde_json::from_slice(&text).map_err(|error| refused(error.to_string()))
}
