// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Successive blocks: their heights, and the outputs that they spend.

use std::collections::hash_map::HashMap;
use std::collections::VecDeque;

use halimede_equihash::BlockHash;
use zcash_transparent::bundle::{OutPoint, TxOut};

use crate::block::Block;
use crate::checks::Submission;
use crate::known::Known;
use crate::spent::SpentOutputs;
use crate::state::ChainState;

/// The number of outputs of recent blocks that a [`Chain`] keeps, about 40 MB.
pub const RECENT_OUTPUTS: usize = 1 << 18;

/// A chain of blocks: what is known about the next block from those before.
#[derive(Debug)]
pub struct Chain {
    /// The height of the next block, if blocks have to follow each other.
    height: Option<u32>,
    /// The hash of the last block.
    last: Option<BlockHash>,
    given: SpentOutputs,
    created: HashMap<OutPoint, TxOut>,
    /// The created outputs, the oldest first. Some may have been spent.
    order: VecDeque<OutPoint>,
    most: usize,
}

/// The facts about a block of a chain.
#[derive(Debug)]
pub struct Link {
    /// The known facts.
    pub known: Known,
    /// The known outputs that it spends.
    pub spent: SpentOutputs,
}

impl Link {
    /// Returns the block that this link belongs to with its facts, and the state of the chain.
    pub fn submission<'b>(
        &'b self,
        block: &'b Block,
        state: Option<&'b ChainState>,
    ) -> Submission<'b> {
        Submission { block, spent: &self.spent, known: self.known, state }
    }
}

/// A block does not follow the block before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the block names {named} as its previous block, but the block before is {last}")]
pub struct LinkError {
    /// The previous block that the block names.
    pub named: BlockHash,
    /// The block before.
    pub last: BlockHash,
}

impl Chain {
    /// Returns a chain whose first block has this height, given outputs of earlier blocks. Without
    /// a height, blocks of any heights may come in any order.
    ///
    /// The chain keeps the last `most` outputs that its blocks create, for example
    /// [`RECENT_OUTPUTS`]. A block that spends an older one is incomplete, unless the output was
    /// given.
    pub fn new(first_height: Option<u32>, given: SpentOutputs, most: usize) -> Self {
        let (created, order) = (HashMap::new(), VecDeque::new());
        Self { height: first_height, last: None, given, created, order, most }
    }

    /// The height of the next block, if blocks have to follow each other.
    pub fn next_height(&self) -> Option<u32> {
        self.height
    }

    /// Adds the next block. Later blocks cannot spend the outputs that it spends, but those that it
    /// creates.
    ///
    /// # Errors
    /// [`LinkError`] if blocks have to follow each other, and this one does not follow the last
    /// one. The chain is unchanged then.
    pub fn add(&mut self, block: &Block) -> Result<Link, LinkError> {
        let (named, height) = (block.header().previous(), self.height);
        if let (Some(_), Some(last)) = (height, self.last) {
            if named != last {
                return Err(LinkError { named, last });
            }
        }
        self.last = Some(block.hash());
        self.height = height.map(|height| height.saturating_add(1));
        let spent = self.move_outputs(block);
        Ok(Link { known: Known { height, ..Known::default() }, spent })
    }

    /// Returns the known outputs that a block spends, and replaces them by those that it creates.
    fn move_outputs(&mut self, block: &Block) -> SpentOutputs {
        let mut spent = SpentOutputs::default();
        for transaction in block.transactions() {
            let Some(bundle) = transaction.transaction().transparent_bundle() else { continue };
            for point in bundle.vin.iter().map(|input| input.prevout()) {
                let output = self.created.remove(point).or_else(|| self.given.remove(point));
                if let Some(output) = output {
                    spent.add_output(point.clone(), output);
                }
            }
            for (number, output) in (0..).zip(&bundle.vout) {
                let point = OutPoint::new(transaction.txid().0, number);
                self.created.insert(point.clone(), output.clone());
                self.order.push_back(point);
            }
        }
        while self.order.len() > self.most {
            if let Some(oldest) = self.order.pop_front() {
                self.created.remove(&oldest);
            }
        }
        spent
    }
}
