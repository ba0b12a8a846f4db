// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block: a header and transactions, as `getblock … 0` gives them.

use std::ops::Range;

use halimede_equihash::{BlockHash, Header, Network};
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::BranchId;

use crate::coinbase::height_of_script;
use crate::error::{BlockError, Part};
use crate::hash::Hash;
use crate::reader::Reader;
use crate::text::decode;

/// The most bytes of a block (Zcash protocol specification, section 7.6).
pub const MOST_BLOCK_BYTES: usize = 2_000_000;

/// A block that could be read; whether it is valid its [checks](Self::checks) tell.
#[derive(Debug)]
pub struct Block {
    network: Network,
    header: Header,
    transactions: Vec<BlockTransaction>,
    bytes: usize,
}

/// A transaction and its bytes.
#[derive(Debug)]
pub struct BlockTransaction {
    transaction: Transaction,
    bytes: Vec<u8>,
    range: Range<usize>,
}

impl Block {
    /// Reads a block of this network, raw or in hexadecimal.
    ///
    /// # Errors
    /// [`BlockError`] says what is wrong and at which byte.
    pub fn parse(input: &[u8], network: Network) -> Result<Self, BlockError> {
        let bytes = decode(input)?;
        if bytes.len() > MOST_BLOCK_BYTES {
            return Err(BlockError::TooLong { got: bytes.len(), limit: MOST_BLOCK_BYTES });
        }
        let (header, header_bytes) = Header::read(&bytes, Some(network.params()))?;
        let mut reader = Reader::from(&bytes, header_bytes);
        let count = reader.compact_size(Part::Count)?;
        let transactions = (0..count)
            .map(|index| BlockTransaction::read(&mut reader, index))
            .collect::<Result<_, _>>()?;
        if reader.left() > 0 {
            return Err(BlockError::Trailing { at: reader.at(), bytes: reader.left() });
        }
        Ok(Self { network, header, transactions, bytes: bytes.len() })
    }

    /// The network it was read for.
    pub fn network(&self) -> Network {
        self.network
    }

    /// Its header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Its hash.
    pub fn hash(&self) -> BlockHash {
        self.header.hash()
    }

    /// Its transactions, in order.
    pub fn transactions(&self) -> &[BlockTransaction] {
        &self.transactions
    }

    /// Its bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The height that its first transaction claims (BIP 34); 0 for a block without a predecessor,
    /// whose first transaction says none; `None` where none is said.
    pub fn height(&self) -> Option<u32> {
        if *self.header.previous().as_bytes() == [0; 32] {
            return Some(0);
        }
        let coinbase = self.transactions.first().filter(|first| first.is_coinbase())?;
        let input = coinbase.transaction.transparent_bundle()?.vin.first()?;
        height_of_script(&input.script_sig().0 .0)
    }
}

impl BlockTransaction {
    fn read(reader: &mut Reader<'_>, index: usize) -> Result<Self, BlockError> {
        let begins = reader.at();
        let part = Part::Transaction { index, begins };
        // Versions before 5 do not say their branch; signature hashes get it from the height.
        let read = Transaction::read(&mut *reader, BranchId::Sprout);
        let at = reader.at();
        let transaction = read.map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => BlockError::Truncated { at, part },
            _ => BlockError::Transaction { at, index, begins, reason: error.to_string() },
        })?;
        Ok(Self { transaction, bytes: reader.since(begins).to_vec(), range: begins..at })
    }

    /// Reads a transaction alone.
    ///
    /// # Errors
    /// [`BlockError`], as of a block's first transaction.
    pub fn parse(bytes: &[u8]) -> Result<Self, BlockError> {
        let mut reader = Reader::from(bytes, 0);
        let transaction = Self::read(&mut reader, 0)?;
        match reader.left() {
            0 => Ok(transaction),
            bytes => Err(BlockError::Trailing { at: reader.at(), bytes }),
        }
    }

    /// The transaction.
    pub fn transaction(&self) -> &Transaction {
        &self.transaction
    }

    /// Its hash without what signs it from version 5 on (ZIP 244), with everything before.
    pub fn txid(&self) -> Hash {
        Hash(*self.transaction.txid().as_ref())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where it stands in the block.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Whether it makes new money: it has one transparent input, which spends nothing.
    pub fn is_coinbase(&self) -> bool {
        self.transaction.transparent_bundle().is_some_and(|bundle| bundle.is_coinbase())
    }
}
