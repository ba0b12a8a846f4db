// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outputs that successive blocks spend: given ones, and those that recent blocks created.

use std::collections::hash_map::HashMap;
use std::collections::VecDeque;

use zcash_transparent::bundle::{OutPoint, TxOut};

use crate::block::Block;
use crate::spent::SpentOutputs;

/// The spendable outputs of a chain, as far as they are known: given ones, and the last ones that
/// its blocks created.
#[derive(Debug)]
pub struct OutputWindow {
    given: SpentOutputs,
    created: HashMap<OutPoint, TxOut>,
    /// The created outputs, the oldest first. Some may have been spent.
    order: VecDeque<OutPoint>,
    most: usize,
}

impl OutputWindow {
    /// Returns a window of given outputs, and of the `most` outputs that the chain's last blocks
    /// will have created.
    pub fn new(given: SpentOutputs, most: usize) -> Self {
        Self { given, created: HashMap::new(), order: VecDeque::new(), most }
    }

    /// Moves the window by the chain's next block. Returns the known outputs that it spends; the
    /// next blocks cannot spend them again, but those that it creates.
    pub fn advance(&mut self, block: &Block) -> SpentOutputs {
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
