// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A tree of Filecoin's hash over a file, and the proof of one leaf, on any device.
//!
//! ```text
//! cargo run -p halimede-device --example filecoin_proof -- FILE INDEX [DEVICE]
//! ```
//!
//! FILE has 8ᵏ leaves of 32 bytes, each below 2²⁵⁴; DEVICE is `cpu`, `sim`, … . The processor is
//! the fallback.

#![allow(clippy::print_stdout, reason = "it prints what it finds")]

use std::error::Error;
use std::fs::File;
use std::io::Cursor;

use halimede_device::Device;
use halimede_poseidon::tree::{leaves_of_length, ByteLeaves, Layout, LeafRule, Shape};
use halimede_poseidon::tree::{TreeBuilder, TreeWriter};
use halimede_poseidon::Strength;

const ARITY: usize = 8;
/// The number of rows above the leaves that are not stored; a proof recomputes them.
const DISCARDED_ROWS: usize = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [path, index, device @ ..] = &words[..] else {
        return Err("usage: filecoin_proof FILE INDEX [DEVICE]".into());
    };
    let index: u64 = index.parse()?;
    let name = device.first().map_or("cpu", String::as_str);
    let device = Device::open(name)?.with_fallback(Device::cpu());

    // Keeps the rows in memory; use a file instead of the cursor to store them.
    let file = File::open(path)?;
    let shape = Shape::uniform(ARITY, leaves_of_length(file.metadata()?.len())?)?;
    let layout = Layout::new(shape, Strength::Standard).first_row(DISCARDED_ROWS + 1)?;
    let writer = TreeWriter::new(Cursor::new(Vec::new()), layout);
    let mut builder = TreeBuilder::storing(&device, writer)?;
    builder.read(&file, |_| ())?;
    let mut tree = builder.finish_tree()?;
    println!("root {}", tree.root());

    let mut leaves = ByteLeaves::open(file, LeafRule::SectorBytes)?;
    let proof = tree.proof_with(&device, &mut leaves, index)?;
    proof.verify(&tree.root())?;
    println!("leaf {} is {}, {} hashes below the root", index, proof.leaf(), proof.path().len());
    Ok(())
}
