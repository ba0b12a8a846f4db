// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outputs that a block's transactions spend, as given by the user: one JSON object per line.

use std::collections::hash_map::{Entry, HashMap};
use std::io::{BufRead, Read};

use serde::Deserialize;
use zcash_protocol::value::Zatoshis;
use zcash_script::script::Code;
use zcash_transparent::address::Script;
use zcash_transparent::bundle::{OutPoint, TxOut};

use crate::block::MOST_BLOCK_BYTES;
use crate::hash::Hash;

/// The longest line. A spendable script has at most 10,000 bytes; an unspendable one may be as long
/// as a block, in hexadecimal.
const LINE_LIMIT_BYTES: u64 = 2 * MOST_BLOCK_BYTES as u64 + (1 << 16);
/// The most lines. An input takes 41 bytes of a block, so a block spends fewer than 50,000 outputs;
/// a file may have the outputs of several blocks.
const MOST_LINES: usize = 1 << 20;

/// Outputs of earlier blocks, by transaction and number.
#[derive(Clone, Debug, Default)]
pub struct SpentOutputs {
    outputs: HashMap<OutPoint, TxOut>,
}

/// Why spent outputs are rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpentError {
    /// A line is not a JSON object of the expected form.
    #[error("line {line}: {source}")]
    Json {
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        source: serde_json::Error,
    },
    /// A line is too long.
    #[error("line {line}: it is longer than {limit} bytes, more than any output needs")]
    Long {
        /// The number of the line, from 1.
        line: usize,
        /// The most bytes of a line.
        limit: u64,
    },
    /// There are too many lines.
    #[error("there are more than {limit} lines, more than any block spends")]
    Many {
        /// The most lines.
        limit: usize,
    },
    /// A member of the object is invalid.
    #[error("line {line}: {reason}")]
    Member {
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// The input cannot be read.
    #[error("line {line}: {source}")]
    Read {
        /// The number of the line, from 1.
        line: usize,
        /// The cause.
        source: std::io::Error,
    },
}

/// A line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    txid: Hash,
    vout: u32,
    value: u64,
    script: String,
}

impl SpentOutputs {
    /// Reads lines of `{"txid": …, "vout": …, "value": …, "script": …}`: the transaction as nodes
    /// print it, the index of the output, its value in zatoshi and its script in hexadecimal. Empty
    /// lines are skipped.
    ///
    /// # Errors
    /// [`SpentError`], with the line and the reason.
    pub fn read(mut lines: impl BufRead) -> Result<Self, SpentError> {
        let mut outputs = Self::default();
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            let next = (&mut lines).take(LINE_LIMIT_BYTES + 1).read_until(b'\n', &mut bytes);
            if next.map_err(|source| SpentError::Read { line, source })? == 0 {
                break;
            }
            if line > MOST_LINES {
                return Err(SpentError::Many { limit: MOST_LINES });
            }
            if bytes.len() as u64 > LINE_LIMIT_BYTES {
                return Err(SpentError::Long { line, limit: LINE_LIMIT_BYTES });
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let parsed = serde_json::from_slice(&bytes);
            let parsed = parsed.map_err(|source| SpentError::Json { line, source })?;
            outputs.add(parsed).map_err(|reason| SpentError::Member { line, reason })?;
        }
        Ok(outputs)
    }

    /// Adds an output, given its transaction, its index, its value in zatoshi and its script.
    ///
    /// # Errors
    /// The reason: the value exceeds the money supply, or a different output of the same name
    /// exists.
    pub fn insert(
        &mut self,
        txid: Hash,
        vout: u32,
        value: u64,
        script: Vec<u8>,
    ) -> Result<(), String> {
        let value = Zatoshis::from_u64(value);
        let value = value.map_err(|_| "the value exceeds the money supply".to_owned())?;
        let output = TxOut::new(value, Script(Code(script)));
        match self.outputs.entry(OutPoint::new(txid.0, vout)) {
            Entry::Occupied(entry) if *entry.get() != output => {
                Err(format!("output {vout} of {txid} was given before, but differs"))
            }
            Entry::Occupied(_) => Ok(()),
            Entry::Vacant(entry) => {
                entry.insert(output);
                Ok(())
            }
        }
    }

    /// The number of outputs.
    pub fn len(&self) -> usize {
        self.outputs.len()
    }

    /// Returns `true` if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    pub(crate) fn get(&self, point: &OutPoint) -> Option<&TxOut> {
        self.outputs.get(point)
    }

    pub(crate) fn remove(&mut self, point: &OutPoint) -> Option<TxOut> {
        self.outputs.remove(point)
    }

    pub(crate) fn add_output(&mut self, point: OutPoint, output: TxOut) {
        self.outputs.insert(point, output);
    }

    fn add(&mut self, line: Line) -> Result<(), String> {
        let script = hex::decode(&line.script).map_err(|error| format!("\"script\": {error}"))?;
        self.insert(line.txid, line.vout, line.value, script)
    }
}
