// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Trees on the simulated card at full rate: the host does not keep the card waiting.
//!
//! The tests count clocks, not seconds, since the simulated card runs some thousand times slower
//! than a real one. They show that no request waits for another reply unless the tree requires it.
//! The card's clock continues while the host computes, as on a real card.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print measurements and skips")]

use crate::common::{card_device, has_card, is_sweep, leaves};
use halimede_arith::job::Timing;
use halimede_device::{Device, Options};
use halimede_poseidon::tree::{ColumnTreeBuilder, Nothing, Shape, TreeBuilder};
use halimede_poseidon::Strength;

/// The largest fraction of clocks for which a full card may wait for the host.
const MOST_STARVED: f64 = 0.05;

fn starved_share(timing: &Timing) -> f64 {
    let (clocks, starved) = (timing.card_clocks.unwrap(), timing.card_starved_clocks.unwrap());
    println!("{starved} of {clocks} clocks starved, {:?} stalled", timing.card_stalled_clocks);
    assert!(starved <= clocks);
    starved as f64 / clocks as f64
}

#[test]
fn a_tree_keeps_the_card_full_while_leaves_come() {
    if !has_card() {
        return;
    }
    let leaves = leaves(if is_sweep() { 4096 } else { 1024 }, 1);
    let shape = Shape::uniform(2, leaves.len() as u64).unwrap();
    let build = |device: &Device| {
        let tree = TreeBuilder::shaped(device, shape.clone(), Strength::Standard, Nothing);
        let mut tree = tree.unwrap();
        tree.push_leaves(&leaves).unwrap();
        let of_leaves = tree.timing().unwrap();
        tree.hash_rest().unwrap();
        let of_tree = tree.timing().unwrap();
        (tree.finish().unwrap(), of_leaves, of_tree)
    };
    let (expected, ..) = build(&Device::cpu());
    let (root, of_leaves, of_tree) = build(&card_device());
    assert_eq!(root, expected);
    // In this time the card's contexts were used many times; with 4,096 leaves half as often.
    assert!(of_leaves.card_clocks.unwrap() > if is_sweep() { 1_000_000 } else { 200_000 });
    assert!(starved_share(&of_leaves) < MOST_STARVED);
    // The last rows of a tree have fewer nodes than the card can run jobs: each row waits for the
    // row below, however many rows precede it.
    assert!(of_tree.card_starved_clocks.unwrap() < 280_000, "{of_tree:?}");
}

#[test]
fn a_window_too_small_for_the_card_shows_in_the_counter() {
    if !has_card() {
        return;
    }
    // Eight requests in flight on 64 contexts: the counter must not always be small.
    let device = Device::open_with("sim", &Options::default().window(8)).unwrap();
    let leaves = leaves(64, 2);
    let mut tree = TreeBuilder::new(&device, 2, Strength::Standard).unwrap();
    tree.push_leaves(&leaves).unwrap();
    tree.hash_rest().unwrap();
    assert!(starved_share(&tree.timing().unwrap()) > 0.9);
    let mut same = TreeBuilder::new(&device, 2, Strength::Standard).unwrap();
    same.push_leaves(&leaves).unwrap();
    assert_eq!(tree.finish().unwrap(), same.finish().unwrap());
}

#[test]
fn a_column_tree_keeps_the_card_full_and_has_the_processors_root() {
    if !has_card() {
        return;
    }
    let count = if is_sweep() { 512 } else { 256 };
    let labels = leaves(2 * count, 3);
    let shape = Shape::uniform(2, count as u64).unwrap();
    let build = |device: &Device| {
        let tree = TreeBuilder::shaped(device, shape.clone(), Strength::Strengthened, Nothing);
        let mut columns = ColumnTreeBuilder::new(tree.unwrap(), 2, Strength::Strengthened).unwrap();
        for columns_of_batch in labels.chunks(2 * 100) {
            columns.push_columns(columns_of_batch).unwrap();
        }
        let mut tree = columns.into_tree();
        assert_eq!(tree.leaves(), count as u64);
        let of_columns = tree.timing().unwrap();
        (tree.finish().unwrap(), of_columns)
    };
    let (expected, _) = build(&Device::cpu());
    let (root, of_columns) = build(&card_device());
    assert_eq!(root, expected);
    assert!(starved_share(&of_columns) < MOST_STARVED);
}
