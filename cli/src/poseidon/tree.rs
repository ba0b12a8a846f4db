// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede poseidon tree`: streams a file or columns into a Merkle tree, and prints its root.

use std::path::Path;
use std::time::Instant;

use halimede_arith::job::Timing;
use halimede_arith::Fr;
use halimede_device::Device;
use halimede_poseidon::tree::{
    Keep, Layout, LeafKind, LeafRule, Nothing, Shape, TreeBuilder, TreeError, TreeWriter,
};
use halimede_poseidon::Strength;
use indicatif::ProgressBar;

use super::tree_inputs::Inputs;
use crate::arguments::TreeOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::files::create_seekable;
use crate::output::print_line;
use crate::progress::bytes_bar;

pub fn run(options: &TreeOptions, json: bool) -> Result<(), CommandError> {
    let inputs = Inputs::open(options.file.as_ref(), &options.columns)?;
    let shape = shape(options, &inputs)?;
    let mut job = Job {
        options,
        strength: options.strength.map_or(Strength::Standard, Strength::from),
        rule: if options.elements { LeafRule::Elements } else { LeafRule::SectorBytes },
        bar: bytes_bar(inputs.bytes()),
        inputs,
        leaves: 0,
        clocks: Clocks::default(),
    };
    let layout = match &options.out {
        Some(path) => Some((path, job.layout(shape.as_ref())?)),
        None => None,
    };
    let device = open(&options.device)?;
    let start = Instant::now();
    let root = match layout {
        Some((path, layout)) => job.store(&device, path, layout),
        None => job.root(&device, shape.as_ref()),
    };
    job.bar.finish_and_clear();
    let root = root?;
    let text = if json {
        job.report(root, shape, start.elapsed().as_secs_f64())?.to_string()
    } else {
        root.to_string()
    };
    print_line(&text)
}

/// A tree that is being built.
struct Job<'o> {
    options: &'o TreeOptions,
    strength: Strength,
    rule: LeafRule,
    inputs: Inputs,
    bar: ProgressBar,
    leaves: u64,
    clocks: Clocks,
}

/// The counters of a card.
#[derive(Default)]
struct Clocks {
    /// The counters while leaves arrived, and the card could be kept busy.
    of_leaves: Timing,
    /// The counters from the first leaf to the root; the last rows have too few nodes to keep the
    /// card busy.
    of_tree: Timing,
}

impl Clocks {
    fn report(&self) -> serde_json::Value {
        let Some(mut report) = card_report(&self.of_tree) else { return serde_json::Value::Null };
        report["while_leaves_came"] = card_report(&self.of_leaves).into();
        report
    }
}

/// Reports the clocks of a card, and the share in which it waited for the host.
fn card_report(timing: &Timing) -> Option<serde_json::Value> {
    let clocks = timing.card_clocks?;
    let starved = timing.card_starved_clocks;
    let share = starved.map(|starved| starved as f64 / clocks.max(1) as f64);
    Some(serde_json::json!({
        "clocks": clocks, "starved_clocks": starved, "starved_share": share,
        "stalled_clocks": timing.card_stalled_clocks,
    }))
}

impl Job<'_> {
    /// The rows to store.
    fn layout(&self, shape: Option<&Shape>) -> Result<Layout, CommandError> {
        let shape = shape.ok_or_else(|| {
            bad_option("--out", "the number of leaves must be known in advance: give a file")
        })?;
        let first_row = match (self.options.keep_leaves, self.options.discard_rows) {
            (true, _) => 0,
            (false, rows) => rows.unwrap_or(0).saturating_add(1),
        };
        if first_row > shape.root_row() {
            let most = shape.root_row() - 1;
            return Err(bad_option("--discard-rows", &format!("at most {most} in this tree")));
        }
        let kind = self.inputs.labels().map_or(LeafKind::Elements, LeafKind::Columns);
        Layout::new(shape.clone(), self.strength)
            .with_leaf_rule(self.rule)
            .leaf_kind(kind)
            .and_then(|layout| layout.first_row(first_row))
            .map_err(|source| self.inputs.error(source))
    }

    fn root(&mut self, device: &Device, shape: Option<&Shape>) -> Result<Fr, CommandError> {
        match shape {
            Some(shape) => TreeBuilder::shaped(device, shape.clone(), self.strength, Nothing),
            None => TreeBuilder::new(device, self.options.arity, self.strength),
        }
        .and_then(|tree| self.feed(tree.leaf_rule(self.rule)))
        .and_then(TreeBuilder::finish)
        .map_err(|source| self.inputs.error(source))
    }

    fn store(&mut self, device: &Device, path: &Path, layout: Layout) -> Result<Fr, CommandError> {
        let output = create_seekable(path, &self.inputs.paths())?;
        let tree = TreeBuilder::storing(device, TreeWriter::new(output, layout))
            .and_then(|tree| self.feed(tree))
            .and_then(TreeBuilder::finish_tree)
            .map_err(|source| match source {
                TreeError::Write { .. } => CommandError::Tree { path: path.into(), source },
                source => self.inputs.error(source),
            })?;
        let root = tree.root();
        tree.into_inner().complete()?;
        Ok(root)
    }

    fn feed<'d, K: Keep>(
        &mut self,
        tree: TreeBuilder<'d, Device, K>,
    ) -> Result<TreeBuilder<'d, Device, K>, TreeError> {
        let bar = &self.bar;
        let mut tree = self.inputs.feed(tree, self.strength, |done| bar.set_position(done))?;
        self.leaves = tree.leaves();
        self.clocks.of_leaves = tree.timing()?;
        tree.hash_rest()?;
        self.clocks.of_tree = tree.timing()?;
        Ok(tree)
    }

    fn report(
        &self,
        root: Fr,
        shape: Option<Shape>,
        seconds: f64,
    ) -> Result<serde_json::Value, CommandError> {
        let shape = match shape {
            Some(shape) => shape,
            None => Shape::uniform(self.options.arity, self.leaves)
                .map_err(|source| self.inputs.error(source))?,
        };
        let bytes = self.inputs.bytes_of(self.leaves);
        let tree = self.options.out.as_ref().map(|path| path.display().to_string());
        Ok(serde_json::json!({
            "root": root.to_string(), "arity": self.options.arity, "arities": shape.arities(),
            "leaves": self.leaves, "depth": shape.root_row(), "labels": self.inputs.labels(),
            "bytes": bytes, "tree": tree, "device": self.options.device.device,
            "seconds": seconds, "bytes_per_second": bytes as f64 / seconds,
            "fallback_hashes": self.clocks.of_tree.fallback_requests,
            "card": self.clocks.report(),
        }))
    }
}

fn bad_option(option: &str, reason: &str) -> CommandError {
    CommandError::BadInput(format!("{option}: {reason}"))
}

/// Returns the shape of the tree, or `None` if the number of leaves is neither known nor needed.
fn shape(options: &TreeOptions, inputs: &Inputs) -> Result<Option<Shape>, CommandError> {
    let top = top_arities(options)?;
    let Some(leaves) = inputs.leaves else {
        if top.is_empty() {
            return Ok(None);
        }
        let reason = "the number of leaves must be known in advance: give a file";
        return Err(bad_option("--subtrees", reason));
    };
    let subtrees: u64 = top.iter().map(|&arity| arity as u64).product();
    if !leaves.is_multiple_of(subtrees) {
        let reason = format!("{leaves} leaves cannot be divided among {subtrees} base trees");
        return Err(bad_option("--subtrees", &reason));
    }
    let shape = Shape::joined(options.arity, leaves / subtrees, &top);
    shape.map(Some).map_err(|source| inputs.error(source))
}

/// Returns the arities above the base trees.
fn top_arities(options: &TreeOptions) -> Result<Vec<usize>, CommandError> {
    let arities = &options.top_arity;
    let product = arities.iter().try_fold(1u64, |all, &arity| all.checked_mul(arity as u64));
    match (options.subtrees, &arities[..]) {
        (None | Some(1), []) => Ok(Vec::new()),
        (None, _) if product.is_some() => Ok(arities.clone()),
        (Some(subtrees), _) if product == Some(subtrees) => Ok(arities.clone()),
        (Some(subtrees), [] | [_]) => {
            let arity = arities.first().copied().unwrap_or(options.arity);
            let top = Shape::uniform(arity, subtrees)
                .map_err(|_| bad_option("--subtrees", &format!("not a power of {arity}")))?;
            Ok(top.arities().to_vec())
        }
        (subtrees, _) => {
            let joined = product.map_or("more than 2^64".into(), |product| product.to_string());
            let wanted = subtrees.map_or(String::new(), |wanted| format!(", not {wanted}"));
            let reason = format!("{arities:?} join {joined} base trees{wanted}");
            Err(bad_option("--top-arity", &reason))
        }
    }
}
