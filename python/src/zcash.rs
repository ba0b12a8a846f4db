// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of Zcash blocks and headers.

use halimede_device::in_pool;
use halimede_zcash::{
    parse_branch, verify_blocks, verify_headers, Block, Chain, ChainState, HashError, Header,
    HeaderVerdict, Known, Link, Network, Report, SpentOutputs, Submission, Summary, VerifyError,
    VerifyHeader,
};
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PyString};

use crate::buffers::Buffer;
use crate::device::{open, to_python};
use crate::errors::{device_error, named, value_error};
use crate::rows::Rows;
use crate::work::{self, Stop};

/// The consensus branch and the history root of a block, in hexadecimal.
type BranchAndHistoryRoot = (Option<String>, Option<String>);
/// The spent outputs and the state of the chain, as JSON.
type SpentAndState<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// Returns the report on a block, which the command prints as JSON.
#[pyfunction]
pub fn zcash_verify_block<'py>(
    py: Python<'py>,
    block: &Bound<'py, PyAny>,
    network: &str,
    spent_and_state: SpentAndState<'py>,
    height: Option<u32>,
    branch_and_history_root: BranchAndHistoryRoot,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let device = &*open(device)?;
    let network: Network = network.parse().map_err(named("network"))?;
    let (branch, history_root) = branch_and_history_root;
    let branch = branch.as_deref().map(parse_branch).transpose().map_err(named("branch"))?;
    let history_root = history_root.as_deref().map(str::parse).transpose();
    let history_root = history_root.map_err(named::<HashError>("history_root"))?;
    let (spent, state) = spent_and_state;
    let (spent, state) = (Text::given("spent", spent)?, Text::given("state", state)?);
    let block = Text::new("block", block)?;
    let block = block.as_slice()?;
    let spent = spent.as_ref().map_or(Ok(&[][..]), Text::as_slice)?;
    let state = state.as_ref().map(Text::as_slice).transpose()?;
    // Short, unless a card is slow; then it ends within the card's time limit.
    let summary = work::run(py, |_| {
        in_pool(|| {
            let start = std::time::Instant::now();
            let block = Block::parse(block, network)
                .map_err(|error| value_error(format!("not a block: {error}")))?;
            let parsing = start.elapsed();
            let spent = SpentOutputs::read(spent).map_err(named("spent"))?;
            let state = state.map(ChainState::read).transpose().map_err(named("state"))?;
            let known = Known { height, branch, history_root };
            let submission =
                Submission { block: &block, spent: &spent, known, state: state.as_ref() };
            let (report, mut times) = submission.verify(device).map_err(verify_error)?;
            times.parsing = parsing;
            times.total += parsing;
            Ok::<_, PyErr>(Summary::new(&block, known, &report, times))
        })
    })??;
    to_python(py, serde_json::to_string(&summary))
}

/// A sequence of blocks, which are verified in batches.
#[pyclass(module = "halimede._native")]
pub struct ZcashChain {
    network: Network,
    chain: Chain,
    state: Option<ChainState>,
    /// The number of blocks so far.
    count: usize,
}

/// A block of a batch, with the known facts about it.
struct Numbered {
    block: Block,
    link: Link,
}

#[pymethods]
impl ZcashChain {
    #[new]
    fn new(
        network: &str,
        spent_and_state: SpentAndState<'_>,
        first_height: Option<u32>,
        recent_outputs: usize,
    ) -> PyResult<Self> {
        let network: Network = network.parse().map_err(named("network"))?;
        let (spent, state) = spent_and_state;
        let (spent, state) = (Text::given("spent", spent)?, Text::given("state", state)?);
        let spent = spent.as_ref().map_or(Ok(&[][..]), Text::as_slice)?;
        let spent = SpentOutputs::read(spent).map_err(named("spent"))?;
        let state = state.as_ref().map(Text::as_slice).transpose()?;
        let state = state.map(ChainState::read).transpose().map_err(named("state"))?;
        let chain = Chain::new(first_height, spent, recent_outputs);
        Ok(Self { network, chain, state, count: 0 })
    }

    /// Verifies the next blocks, with their heights if they are not those of the chain. Returns the
    /// reports, and the error of the block after the last report, if there is one.
    fn verify<'py>(
        &mut self,
        py: Python<'py>,
        blocks: Vec<Bound<'py, PyAny>>,
        heights: Vec<Option<u32>>,
        device: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Option<String>)> {
        let device = &*open(device)?;
        let mut texts = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            texts.push(Text::new(&format!("blocks[{}]", self.count + place), block)?);
        }
        let bytes: Vec<&[u8]> = texts.iter().map(Text::as_slice).collect::<PyResult<_>>()?;
        let (summaries, error) = work::run(py, |_| {
            in_pool(|| {
                let (blocks, error) = self.add(&bytes, &heights);
                let state = self.state.as_ref();
                let submissions: Vec<_> =
                    blocks.iter().map(|of| of.link.submission(&of.block, state)).collect();
                let (reports, _) = verify_blocks(device, &submissions).map_err(verify_error)?;
                let summaries = blocks.iter().zip(&reports).map(|(of, report)| of.summary(report));
                Ok::<_, PyErr>((summaries.collect::<Result<Vec<_>, _>>(), error))
            })
        })??;
        let summaries = summaries.and_then(|summaries| serde_json::to_string(&summaries));
        Ok((to_python(py, summaries)?, error))
    }
}

impl ZcashChain {
    /// Adds blocks up to the first that is not one, or does not follow the one before.
    fn add(&mut self, all: &[&[u8]], heights: &[Option<u32>]) -> (Vec<Numbered>, Option<String>) {
        let mut blocks = Vec::new();
        for (place, bytes) in all.iter().enumerate() {
            let failed = |reason: String| Some(format!("blocks[{}]: {reason}", self.count));
            let block = match Block::parse(bytes, self.network) {
                Ok(block) => block,
                Err(error) => return (blocks, failed(format!("not a block: {error}"))),
            };
            let mut link = match self.chain.add(&block) {
                Ok(link) => link,
                Err(error) => return (blocks, failed(error.to_string())),
            };
            link.known.height = link.known.height.or(heights.get(place).copied().flatten());
            blocks.push(Numbered { block, link });
            self.count += 1;
        }
        (blocks, None)
    }
}

impl Numbered {
    fn summary(&self, report: &Report) -> serde_json::Result<serde_json::Value> {
        Summary::in_batch(&self.block, self.link.known, report)
    }
}

fn verify_error(error: VerifyError) -> PyErr {
    match error {
        VerifyError::Device(error) => device_error(&error),
        error => crate::errors::DeviceError::new_err(error.to_string()),
    }
}

/// Bytes, or the bytes of a text.
enum Text<'py> {
    Text(String),
    Bytes(Buffer<'py>),
}

impl<'py> Text<'py> {
    fn new(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => Ok(Self::Text(text.to_cow()?.into_owned())),
            Err(_) => Ok(Self::Bytes(Buffer::new(|| name.into(), object)?)),
        }
    }

    /// As [`Self::new`], if there is an object.
    fn given(name: &str, object: Option<Bound<'py, PyAny>>) -> PyResult<Option<Self>> {
        object.map(|object| Self::new(name, &object)).transpose()
    }

    fn as_slice(&self) -> PyResult<&[u8]> {
        match self {
            Self::Text(text) => Ok(text.as_bytes()),
            Self::Bytes(bytes) => bytes.as_slice(),
        }
    }
}

/// Returns, for each header, its hash and the reasons why it is not valid. Headers are one buffer
/// with consecutive headers, a list of buffers, or the rows of an array.
#[pyfunction]
pub fn zcash_verify_headers<'py>(
    py: Python<'py>,
    headers: &Bound<'py, PyAny>,
    network: &str,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<(String, Vec<String>)>> {
    let device = &*open(device)?;
    let network: Network = network.parse().map_err(named("network"))?;
    let headers = read_headers(headers, network)?;
    let limits = device.limits::<VerifyHeader>();
    let indices = headers.len().saturating_mul(network.params().indices());
    let work = |_: &Stop| verify_headers(device, device.name(), network, &headers);
    let verdicts = match limits.brief.holds(headers.len(), indices) {
        true => work::run_briefly(py, work),
        false => work::run(py, work)?,
    };
    let verdicts = verdicts.map_err(|error| device_error(&error))?.into_iter();
    let told =
        |(header, verdict): (&Header, HeaderVerdict)| (header.hash().to_string(), verdict.reasons);
    Ok(headers.iter().zip(verdicts).map(told).collect())
}

fn read_headers(headers: &Bound<'_, PyAny>, network: Network) -> PyResult<Vec<Header>> {
    let params = network.params();
    let axes = match PyMemoryView::from(headers) {
        Ok(view) => view.getattr("ndim")?.extract()?,
        Err(_) => 0,
    };
    let bytes = Header::bytes(params);
    let (one, many);
    let rows: Vec<&[u8]> = if axes == 1 {
        one = Buffer::new(|| "headers".into(), headers)?;
        let rows: Vec<_> = one.as_slice()?.chunks(bytes).collect();
        rows
    } else {
        many = Rows::new("headers", "one buffer, a list of them, or an array", headers)?;
        many.slices()?
    };
    let parse = |(row, bytes): (usize, &&[u8])| {
        let named = |error| value_error(format!("headers[{row}]: {error}"));
        Header::parse(bytes, Some(params)).map_err(named)
    };
    rows.iter().enumerate().map(parse).collect()
}
