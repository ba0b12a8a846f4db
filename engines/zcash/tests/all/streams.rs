// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams of blocks in each form, blocks verified together, and outputs of earlier blocks.

use std::io::Read;

use crate::common::real::Real;
use crate::common::sign::{pushes, script_of, spend, Lock};
use crate::common::{main_block, report, Draft, Here};
use halimede_zcash::{
    verify_blocks, Block, BlockStream, BranchId, Chain, Gap, Known, Network, Report, SpentOutputs,
    StreamError, Submission, Verdict, RECENT_OUTPUTS,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const MAGIC: [u8; 4] = [0x24, 0xe9, 0x27, 0x64];

fn main_blocks() -> Vec<Real> {
    Real::all().into_iter().filter(|real| real.network == Network::Main).collect()
}

/// The forms of a stream of these blocks: raw, lines, and zcashd's files.
fn forms(blocks: &[Real]) -> [Vec<u8>; 3] {
    let raw = blocks.iter().flat_map(|real| real.bytes.clone()).collect();
    let line = |real: &Real| format!("{}\n\n", hex::encode(&real.bytes)).into_bytes();
    let framed = |real: &Real| {
        let length = u32::try_from(real.bytes.len()).unwrap().to_le_bytes();
        [&MAGIC[..], &length, &real.bytes].concat()
    };
    [raw, blocks.iter().flat_map(line).collect(), blocks.iter().flat_map(framed).collect()]
}

fn read(input: impl Read) -> (Vec<String>, Option<StreamError>) {
    let mut hashes = Vec::new();
    for block in BlockStream::new(input, Network::Main).unwrap() {
        match block {
            Ok(block) => hashes.push(block.hash().to_string()),
            Err(error) => return (hashes, Some(error)),
        }
    }
    (hashes, None)
}

/// A reader that returns a few bytes at a time.
struct Slow<'b>(&'b [u8], ChaCha8Rng);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.gen_range(1..3_000).min(buffer.len()).min(self.0.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn each_form_has_the_same_blocks() {
    let blocks = main_blocks();
    let hash = |real: &Real| Block::parse(&real.bytes, real.network).unwrap().hash().to_string();
    let hashes: Vec<_> = blocks.iter().map(hash).collect();
    for (form, bytes) in forms(&blocks).into_iter().enumerate() {
        for seed in 0..3 {
            let slow = Slow(&bytes, ChaCha8Rng::seed_from_u64(seed));
            let (got, error) = read(slow);
            assert!(error.is_none(), "{form}: {error:?}");
            assert_eq!(got, hashes, "{form}");
        }
        // Files of zcashd end with zeros.
        let (got, error) = read([&bytes[..], &[0; 100_000]].concat().as_slice());
        assert_eq!(got, hashes, "{form}");
        assert_eq!(error.is_none(), form == 2, "{form}: {error:?}");
    }
}

#[test]
fn streams_end_at_what_is_not_a_block() {
    let blocks = &main_blocks()[..4];
    let [raw, lines, framed] = forms(blocks);
    let error = |bytes: &[u8]| {
        let (got, error) = read(bytes);
        (got.len(), error.unwrap_or_else(|| panic!("{got:?}")).to_string())
    };
    assert_eq!(error(b""), (0, "the input has no blocks".into()));
    assert_eq!(error(b"\n \n"), (0, "the input has no blocks".into()));
    let at = raw.len() - 10;
    let last = raw.len() - blocks[3].bytes.len();
    let (count, reason) = error(&raw[..at]);
    assert!(
        count == 3 && reason.starts_with(&format!("block 4 (from byte {last}): at byte")),
        "{reason}"
    );
    let (count, reason) = error(&framed[..framed.len() - 10]);
    assert!(count == 3 && reason.ends_with("the input ends within the block"), "{reason}");
    let (count, reason) = error(&lines[..lines.len() - 10]);
    assert!(count == 3 && reason.starts_with("block 4 (line 7): "), "{reason}");
    for (other, named) in [([0xfa, 0x1a, 0xf9, 0xbf], "of the test network"), ([1, 2, 3, 4], "")] {
        let place = framed.len() - blocks[3].bytes.len() - 8;
        let mut wrong = framed.clone();
        wrong[place..place + 4].copy_from_slice(&other);
        let (count, reason) = error(&wrong);
        let expected = "expected the magic number of the main network";
        assert!(count == 3 && reason.contains(expected) && reason.contains(named), "{reason}");
    }
    // A length beyond the limit is refused before anything is read.
    let long = [&MAGIC[..], &2_000_001u32.to_le_bytes(), &[0; 100]].concat();
    let (_, reason) = error(&long);
    assert!(reason.contains("it has 2000001 bytes"), "{reason}");
    let (_, reason) = error(&std::iter::repeat_n(b'0', 5_000_000).collect::<Vec<_>>());
    assert!(reason.contains("the line is longer than"), "{reason}");
    let mut stream = BlockStream::new(&raw[..at], Network::Main).unwrap();
    assert!(stream.by_ref().any(|block| block.is_err()));
    assert!(stream.next().is_none(), "after an error there is nothing");
}

#[test]
fn damaged_streams_are_read_or_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(0x57);
    let mut refused = 0;
    for form in forms(&main_blocks()[..5]) {
        for _ in 0..200 {
            let mut bytes = form.clone();
            let at = random.gen_range(0..bytes.len());
            match random.gen_range(0..3) {
                0 => bytes[at] ^= 1 << random.gen_range(0..8),
                1 => bytes.truncate(at),
                _ => drop(bytes.drain(at..(at + random.gen_range(1..2_000)).min(form.len()))),
            }
            let (got, error) = read(&bytes[..]);
            assert!(got.len() <= 5);
            refused += usize::from(error.is_some());
        }
    }
    assert!(refused > 300, "{refused}");
}

/// Verdicts do not depend on the blocks of the batch, also if some are damaged.
#[test]
fn blocks_together_have_the_verdicts_of_each_alone() {
    let mut random = ChaCha8Rng::seed_from_u64(0x0419);
    let mut blocks = Vec::new();
    for real in Real::all() {
        blocks.push((real.height, Block::parse(&real.bytes, real.network).unwrap()));
        let mut damaged = real.bytes.clone();
        let last = damaged.len() - 1;
        damaged[random.gen_range(1_600.min(last)..=last)] ^= 1 << random.gen_range(0..8);
        blocks.extend(Block::parse(&damaged, real.network).ok().map(|block| (real.height, block)));
    }
    let spent = SpentOutputs::default();
    let submissions = blocks.iter().map(|(height, block)| {
        let known = Known { height: Some(*height), ..Known::default() };
        Submission { block, spent: &spent, known, state: None }
    });
    let submissions: Vec<_> = submissions.collect();
    let alone: Vec<Report> = submissions
        .iter()
        .map(|of| of.block.verify(&Here, of.spent, of.known).unwrap().0)
        .collect();
    let (together, times) = verify_blocks(&Here, &submissions).unwrap();
    assert_eq!(together, alone);
    assert!(times.proof_count > 100, "{}", times.proof_count);
    let invalid = together.iter().filter(|report| report.verdict() == Verdict::Invalid).count();
    assert!(invalid > 20 && invalid < blocks.len() - 50, "{invalid}");
    let (none, _) = verify_blocks(&Here, &[]).unwrap();
    assert_eq!(none, []);
}

#[test]
fn a_chain_knows_heights_and_links() {
    let block = |height: u32| {
        let real = Real::of(height);
        Block::parse(&real.bytes, real.network).unwrap()
    };
    let (first, second, third, other) =
        (block(419_200), block(419_201), block(419_202), block(434_873));
    let mut chain = Chain::new(Some(419_200), SpentOutputs::default(), RECENT_OUTPUTS);
    assert_eq!(chain.add(&first).unwrap().known.height, Some(419_200));
    let error = chain.add(&third).unwrap_err();
    assert_eq!((error.named, error.last), (second.hash(), first.hash()));
    assert_eq!(chain.next_height(), Some(419_201), "an error leaves the chain unchanged");
    assert_eq!(chain.add(&second).unwrap().known.height, Some(419_201));
    assert_eq!(chain.add(&third).unwrap().known.height, Some(419_202));
    assert!(chain.add(&other).is_err());
    let mut free = Chain::new(None, SpentOutputs::default(), RECENT_OUTPUTS);
    for block in [&third, &other, &first] {
        assert_eq!(free.add(block).unwrap().known.height, None);
    }
}

#[test]
fn outputs_of_recent_blocks_are_known_once() {
    let mut random = ChaCha8Rng::seed_from_u64(0x0b);
    let (branch, height) = (BranchId::Sapling, 500_000);
    let lock = Lock::random(&mut random);
    let input = spend(&lock, &mut random);
    let outputs = vec![(90, lock.script()), (9, lock.script())];
    let draft =
        |inputs, outputs| Draft { version: 4, branch, lock_time: 0, expiry: 0, inputs, outputs };
    let made = draft(vec![input], outputs);
    let signed = |draft: &Draft| {
        let pushes = pushes(draft, std::slice::from_ref(&lock), &[1]);
        draft.bytes(&[script_of(&pushes[0])])
    };
    let first = main_block(branch, height, &[signed(&made)]);
    let mut next = spend(&lock, &mut random);
    (next.txid, next.vout, next.value) = (first.transactions()[1].txid(), 0, 90);
    let later = draft(vec![next], vec![(90, lock.script())]);
    let second = main_block(branch, height + 1, &[signed(&later)]);
    let verdict = |most: usize, blocks: &[&Block]| {
        let mut chain = Chain::new(None, made.spent(|_| true), most);
        let mut verdicts = Vec::new();
        for block in blocks {
            let link = chain.add(block).unwrap();
            let (report, _) = report(block, &link.spent, link.known);
            let is_open = report.unchecked.iter().any(|of| of.gap == Gap::SpentOutputs);
            let inputs = report.transactions[1].inputs.iter();
            assert!(inputs.into_iter().all(|input| input.verdict.verdict() != Verdict::Invalid));
            verdicts.push(!is_open);
        }
        verdicts
    };
    assert_eq!(verdict(RECENT_OUTPUTS, &[&first, &second]), [true, true]);
    assert_eq!(verdict(RECENT_OUTPUTS, &[&second]), [false], "the output does not exist yet");
    assert_eq!(verdict(RECENT_OUTPUTS, &[&first, &second, &second]), [true, true, false]);
    assert_eq!(verdict(RECENT_OUTPUTS, &[&first, &first]), [true, false], "it was spent");
    assert_eq!(verdict(0, &[&first, &second]), [true, false], "nothing is kept");
}
