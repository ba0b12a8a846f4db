// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file of a network for a server, which compiles it: the model, the samples that calibrate it,
//! the parameters and the options.
//!
//! All numbers are little-endian.
//!
//! | content | bytes |
//! |---|---|
//! | 0x89 `CNNM` CR LF 0x1a, and the format, 1 | 8, 2 |
//! | the degree of the polynomials | 4 |
//! | 1 and the threshold and the error of an exact ReLU, or 0 and zeros | 1, 8, 8 |
//! | the guard, few keys: 1 for yes | 1, 1 |
//! | the bytes of kept matrices; the ciphertexts of an input; the inputs of a batch | 8, 4, 4 |
//! | the name of the output: its bytes, and UTF-8; 0 bytes for the model's own output | 4, … |
//! | a file of parameters: its bytes, and the file | 4, … |
//! | the samples: their number, the values of each, and the values | 4, 4, 8 each |
//! | the ONNX file: its bytes, and the file | 4, … |
//! | the BLAKE3 hash of everything before | 32 |
//!
//! The same file compiles to the same network, so that a run can continue in another process. It
//! has the weights and the samples: it is for the server, and a client gets the
//! [interface](crate::compile::Interface).

use std::io::Write;

use halimede_ckks::files::{expect_end, FileKind, FileReader, Header};
use halimede_ckks::{FileError, Parameters};

use crate::calibrate::Calibration;
use crate::compile::{ExactRelu, Model, Options};
use crate::error::NetworkError;
use crate::onnx::{read_onnx, read_onnx_output, MOST_BYTES};

/// The first bytes of a network's file.
pub const MAGIC: [u8; 8] = *b"\x89CNNM\r\n\x1a";
/// The version of the format.
const FORMAT: u16 = 1;
/// The size of the hash in bytes.
const HASH_BYTES: usize = 32;
/// The largest size of a network's file in bytes: an ONNX file and samples of the same size.
pub const MOST_FILE_BYTES: usize = 2 * MOST_BYTES;
/// The largest size of a name and of a file of parameters in bytes.
const MOST_PART_BYTES: usize = 1 << 12;

/// A network that is not compiled yet.
#[derive(Clone, Debug)]
pub struct NetworkFile {
    /// The ONNX file.
    pub onnx: Vec<u8>,
    /// The value of the file that is the output; `None` for the model's own output.
    pub output: Option<String>,
    /// The samples that calibrate the network.
    pub samples: Vec<Vec<f64>>,
    /// The options of the compilation.
    pub options: Options,
    /// The file of parameters.
    parameters: Vec<u8>,
}

impl NetworkFile {
    /// Returns a network for these parameters.
    ///
    /// # Errors
    /// [`NetworkError::File`] for samples with different numbers of values, and for a part above
    /// its limit.
    pub fn new(
        onnx: Vec<u8>,
        output: Option<String>,
        samples: Vec<Vec<f64>>,
        parameters: &Parameters,
        options: Options,
    ) -> Result<Self, NetworkError> {
        let count = samples.first().map_or(0, Vec::len);
        if let Some(other) = samples.iter().find(|sample| sample.len() != count) {
            let got = other.len();
            return Err(wrong(format!("samples of {count} and of {got} values")));
        }
        let mut bytes = Vec::new();
        parameters.save(&mut bytes).map_err(|error| wrong(error.to_string()))?;
        let file = Self { onnx, output, samples, options, parameters: bytes };
        let (got, limit) = (file.bytes(), MOST_FILE_BYTES);
        match got <= limit {
            true => Ok(file),
            false => {
                let what = "bytes of a network, its samples included".to_owned();
                Err(NetworkError::Limit { what, got, limit })
            }
        }
    }

    /// Returns the size of the file in bytes, within a kilobyte.
    fn bytes(&self) -> usize {
        let values: usize = self.samples.iter().map(Vec::len).sum();
        let name = self.output.as_ref().map_or(0, String::len);
        self.onnx.len() + size_of::<f64>() * values + name + self.parameters.len() + 128
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, mut output: impl Write) -> std::io::Result<()> {
        let Options { degree, exact_relu, guard, few_keys, matrix_bytes, .. } = self.options;
        let mut bytes = Vec::with_capacity(self.bytes());
        bytes.extend(MAGIC);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend((degree as u32).to_le_bytes());
        let ExactRelu { threshold, error } =
            exact_relu.unwrap_or(ExactRelu { threshold: 0.0, error: 0.0 });
        bytes.push(u8::from(exact_relu.is_some()));
        bytes.extend([threshold, error].map(f64::to_le_bytes).concat());
        bytes.extend([u8::from(guard), u8::from(few_keys)]);
        bytes.extend((matrix_bytes as u64).to_le_bytes());
        for count in [self.options.input_ciphertexts, self.options.batch] {
            bytes.extend((count as u32).to_le_bytes());
        }
        let mut part = |content: &[u8]| {
            bytes.extend((content.len() as u32).to_le_bytes());
            bytes.extend(content);
        };
        part(self.output.as_deref().unwrap_or_default().as_bytes());
        part(&self.parameters);
        bytes.extend((self.samples.len() as u32).to_le_bytes());
        let values = self.samples.first().map_or(0, Vec::len);
        bytes.extend((values as u32).to_le_bytes());
        self.samples.iter().flatten().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes.extend((self.onnx.len() as u32).to_le_bytes());
        bytes.extend(&self.onnx);
        output.write_all(&bytes)?;
        output.write_all(blake3::hash(&bytes).as_bytes())?;
        output.flush()
    }

    /// Reads a file of at most [`MOST_FILE_BYTES`].
    ///
    /// # Errors
    /// [`NetworkError::File`] for bytes that are not such a file, with the position;
    /// [`NetworkError::Limit`] for a file that is too large.
    pub fn read(file: &[u8]) -> Result<Self, NetworkError> {
        if file.len() > MOST_FILE_BYTES {
            let (what, got) = ("bytes of a network's file".to_owned(), file.len());
            return Err(NetworkError::Limit { what, got, limit: MOST_FILE_BYTES });
        }
        if !file.starts_with(&MAGIC) {
            let reason =
                "it does not begin as the file of a network; make one with `halimede ckks \
                          compile`";
            return Err(wrong(reason));
        }
        let Some((content, hash)) = file.split_last_chunk::<HASH_BYTES>() else {
            return Err(wrong("it is truncated"));
        };
        if blake3::hash(content) != *hash {
            return Err(wrong("its hash does not match: it is truncated or damaged"));
        }
        let mut fields = Content { rest: &content[MAGIC.len()..], at: MAGIC.len() };
        let network = fields.network()?;
        match fields.rest.len() {
            0 => Ok(network),
            more => Err(wrong(format!("at byte {}: {more} bytes too many", fields.at))),
        }
    }

    /// Returns the header of the file of parameters.
    ///
    /// # Errors
    /// [`NetworkError::File`] if it is not a file of parameters.
    pub fn header(&self) -> Result<Header, NetworkError> {
        let in_part = |error: FileError| wrong(format!("the parameters: {error}"));
        let mut bytes = &self.parameters[..];
        let reader = FileReader::new(&mut bytes).map_err(in_part)?;
        let header = reader.header().clone();
        drop(reader);
        expect_end(bytes).map_err(in_part)?;
        match header.kind() {
            FileKind::Parameters => Ok(header),
            got => Err(in_part(FileError::Kind { got, wanted: FileKind::Parameters })),
        }
    }

    /// Compiles the network for the parameters of [`Self::header`].
    ///
    /// # Errors
    /// As [`read_onnx`], [`Calibration::new`] and [`Model::compile`].
    pub fn compile(&self, parameters: &Parameters) -> Result<Model, NetworkError> {
        let graph = match &self.output {
            None => read_onnx(&self.onnx),
            Some(output) => read_onnx_output(&self.onnx, output),
        }?;
        let calibration = Calibration::new(&graph, &self.samples)?;
        Model::compile(&graph, &calibration, parameters, &self.options)
    }
}

/// The rest of a file's content, and its position.
struct Content<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Content<'a> {
    fn network(&mut self) -> Result<NetworkFile, NetworkError> {
        match self.number(2, "the format")? {
            1 => {}
            other => {
                return Err(wrong(format!(
                    "it has format {other}, and this program reads {FORMAT}: compile it again"
                )))
            }
        }
        let degree = self.number(4, "the degree")? as usize;
        let is_exact = self.flag("the mark of an exact ReLU")?;
        let [threshold, error] = [self.float()?, self.float()?];
        let guard = self.flag("the mark of a guard")?;
        let few_keys = self.flag("the mark of few keys")?;
        let matrix_bytes = self.number(8, "the bytes of matrices")?;
        let matrix_bytes = usize::try_from(matrix_bytes).unwrap_or(usize::MAX);
        let input_ciphertexts = self.number(4, "the ciphertexts of an input")? as usize;
        let batch = self.number(4, "the inputs of a batch")? as usize;
        let exact_relu = is_exact.then_some(ExactRelu { threshold, error });
        let options =
            Options { degree, exact_relu, guard, few_keys, matrix_bytes, input_ciphertexts, batch };
        let name = self.part("the name of the output", MOST_PART_BYTES)?;
        let name = String::from_utf8(name.to_vec())
            .map_err(|_| wrong("the name of the output is not UTF-8"))?;
        let parameters = self.part("the parameters", MOST_PART_BYTES)?.to_vec();
        let count = self.number(4, "the number of samples")? as usize;
        let values = self.number(4, "the values of a sample")? as usize;
        let bytes = count.checked_mul(values).and_then(|all| all.checked_mul(size_of::<f64>()));
        let samples = self.take(bytes.unwrap_or(usize::MAX), "the samples")?;
        let of_value = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let samples = match values {
            0 if count > 0 => return Err(wrong("the samples have no values")),
            0 => Vec::new(),
            _ => samples
                .chunks_exact(values * size_of::<f64>())
                .map(|sample| sample.chunks_exact(size_of::<f64>()).map(of_value).collect())
                .collect(),
        };
        let onnx = self.part("the ONNX file", MOST_BYTES)?.to_vec();
        let output = Some(name).filter(|name| !name.is_empty());
        Ok(NetworkFile { onnx, output, samples, options, parameters })
    }

    fn take(&mut self, bytes: usize, what: &str) -> Result<&'a [u8], NetworkError> {
        let Some((taken, rest)) = self.rest.split_at_checked(bytes) else {
            let left = self.rest.len();
            return Err(wrong(format!(
                "at byte {}: {what} needs {bytes} bytes, and {left} are left",
                self.at
            )));
        };
        (self.rest, self.at) = (rest, self.at + bytes);
        Ok(taken)
    }

    fn number(&mut self, bytes: usize, what: &str) -> Result<u64, NetworkError> {
        let taken = self.take(bytes, what)?;
        Ok(taken.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn float(&mut self) -> Result<f64, NetworkError> {
        self.number(8, "a number").map(f64::from_bits)
    }

    fn flag(&mut self, what: &str) -> Result<bool, NetworkError> {
        match self.number(1, what)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(wrong(format!("at byte {}: {what} is {other}", self.at - 1))),
        }
    }

    /// Returns a part that follows its length.
    fn part(&mut self, what: &str, most: usize) -> Result<&'a [u8], NetworkError> {
        match self.number(4, what)? as usize {
            bytes if bytes <= most => self.take(bytes, what),
            bytes => Err(wrong(format!(
                "at byte {}: {what} has {bytes} bytes, and the limit is {most}",
                self.at - 4
            ))),
        }
    }
}

fn wrong(reason: impl Into<String>) -> NetworkError {
    NetworkError::File { reason: reason.into() }
}
