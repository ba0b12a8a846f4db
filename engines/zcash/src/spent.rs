// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outputs that a block's transactions spend, as the user gives them: a JSON object a line.

use std::collections::hash_map::{Entry, HashMap};
use std::io::{BufRead, Read};

use serde::Deserialize;
use zcash_protocol::value::Zatoshis;
use zcash_script::script::Code;
use zcash_transparent::address::Script;
use zcash_transparent::bundle::{OutPoint, TxOut};

use crate::block::MOST_BLOCK_BYTES;
use crate::hash::Hash;

/// The longest line. A script that can be spent has 10,000 bytes; one that is longer, at most those
/// of a block, twice in hexadecimal.
const LINE_LIMIT_BYTES: u64 = 2 * MOST_BLOCK_BYTES as u64 + (1 << 16);
/// The most lines. An input takes 41 bytes of a block, so a block spends a twentieth as many
/// outputs; a file may have those of several.
const MOST_LINES: usize = 1 << 20;

/// Outputs of earlier blocks, by transaction and number.
#[derive(Clone, Debug, Default)]
pub struct SpentOutputs {
    outputs: HashMap<OutPoint, TxOut>,
}

/// Not a valid line of spent outputs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpentError {
    /// It is no such JSON object.
    #[error("line {line}: {source}")]
    Json {
        /// Which line, from 1.
        line: usize,
        /// The fault.
        source: serde_json::Error,
    },
    /// It does not end.
    #[error("line {line}: it is longer than {limit} bytes, and no output's script is as long")]
    Long {
        /// Which line, from 1.
        line: usize,
        /// Bytes that a line has at most.
        limit: u64,
    },
    /// There are more than a block can spend.
    #[error("there are more than {limit} lines, and no block spends as many outputs")]
    Many {
        /// Lines that are read at most.
        limit: usize,
    },
    /// A member is not what it should be.
    #[error("line {line}: {reason}")]
    Member {
        /// Which line, from 1.
        line: usize,
        /// The fault.
        reason: String,
    },
    /// It cannot be read.
    #[error("line {line}: {source}")]
    Read {
        /// Which line, from 1.
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
    /// print it, the output's number, its value in zatoshi and its script in hexadecimal. Empty
    /// lines are passed over.
    ///
    /// # Errors
    /// [`SpentError`] says which line is wrong and how.
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

    /// Adds an output: of this transaction, with this number, value in zatoshi and script.
    ///
    /// # Errors
    /// What is wrong: a value that is more than there is money, or another output of the same name.
    pub fn insert(
        &mut self,
        txid: Hash,
        vout: u32,
        value: u64,
        script: Vec<u8>,
    ) -> Result<(), String> {
        let value = Zatoshis::from_u64(value);
        let value = value.map_err(|_| "the value is more than there is money".to_owned())?;
        let output = TxOut::new(value, Script(Code(script)));
        match self.outputs.entry(OutPoint::new(txid.0, vout)) {
            Entry::Occupied(entry) if *entry.get() != output => {
                Err(format!("output {vout} of {txid} is there already, and is another"))
            }
            Entry::Occupied(_) => Ok(()),
            Entry::Vacant(entry) => {
                entry.insert(output);
                Ok(())
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.outputs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    pub(crate) fn get(&self, point: &OutPoint) -> Option<&TxOut> {
        self.outputs.get(point)
    }

    fn add(&mut self, line: Line) -> Result<(), String> {
        let script = hex::decode(&line.script).map_err(|error| format!("\"script\": {error}"))?;
        self.insert(line.txid, line.vout, line.value, script)
    }
}
