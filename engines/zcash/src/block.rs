// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A block: a header and transactions, as `getblock … 0` returns them.

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

/// A parsed block; its [checks](Self::checks) determine whether it is valid.
#[derive(Debug)]
pub struct Block {
    network: Network,
    header: Header,
    transactions: Vec<BlockTransaction>,
    bytes: usize,
}

/// A transaction with its bytes.
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
    /// [`BlockError`], with the reason and the position.
    pub fn parse(input: &[u8], network: Network) -> Result<Self, BlockError> {
        Self::parse_raw(&decode(input)?, network)
    }

    /// Reads a raw block.
    pub(crate) fn parse_raw(bytes: &[u8], network: Network) -> Result<Self, BlockError> {
        if bytes.len() > MOST_BLOCK_BYTES {
            return Err(BlockError::TooLong { got: bytes.len(), limit: MOST_BLOCK_BYTES });
        }
        let (block, used) = Self::parse_first(bytes, network)?;
        match bytes.len() - used {
            0 => Ok(block),
            left => Err(BlockError::Trailing { at: used, bytes: left }),
        }
    }

    /// Reads the raw block that these bytes begin with. Also returns its length.
    pub(crate) fn parse_first(bytes: &[u8], network: Network) -> Result<(Self, usize), BlockError> {
        let (header, header_bytes) = Header::read(bytes, Some(network.params()))?;
        let mut reader = Reader::from(bytes, header_bytes);
        let count = reader.compact_size(Part::Count)?;
        let transactions = (0..count)
            .map(|index| BlockTransaction::read(&mut reader, index))
            .collect::<Result<_, _>>()?;
        let used = reader.at();
        Ok((Self { network, header, transactions, bytes: used }, used))
    }

    /// The network that the block was read for.
    pub fn network(&self) -> Network {
        self.network
    }

    /// The header of the block.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The hash of the block.
    pub fn hash(&self) -> BlockHash {
        self.header.hash()
    }

    /// The transactions, in order.
    pub fn transactions(&self) -> &[BlockTransaction] {
        &self.transactions
    }

    /// The size of the block in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The height that the first transaction claims (BIP 34); 0 for a block without a predecessor,
    /// whose first transaction claims none; `None` if no height is claimed.
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
        // Versions before 5 do not state their branch; signature hashes get it from the height.
        let read = Transaction::read(&mut *reader, BranchId::Sprout);
        let at = reader.at();
        let transaction = read.map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => BlockError::Truncated { at, part },
            _ => BlockError::Transaction { at, index, begins, reason: error.to_string() },
        })?;
        Ok(Self { transaction, bytes: reader.since(begins).to_vec(), range: begins..at })
    }

    /// Reads a single transaction.
    ///
    /// # Errors
    /// [`BlockError`], as for the first transaction of a block.
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

    /// The transaction identifier: the hash without the signing data from version 5 on (ZIP 244),
    /// and with all data before.
    pub fn txid(&self) -> Hash {
        Hash(*self.transaction.txid().as_ref())
    }

    /// The bytes of the transaction.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The position of the transaction in the block.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns `true` for a coinbase transaction, which creates new money: it has one transparent
    /// input, which spends nothing.
    pub fn is_coinbase(&self) -> bool {
        self.transaction.transparent_bundle().is_some_and(|bundle| bundle.is_coinbase())
    }
}
