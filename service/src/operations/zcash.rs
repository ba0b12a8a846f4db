// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash: verifies blocks. The blocks of all waiting requests are verified together.

use std::sync::Arc;
use std::time::Instant;

use halimede_arith::interface::{
    About, Answer, Example, Field, Invalid, Plan, Record, Reply, Setting, Settings, Values,
};
use halimede_arith::job::{Amount, Answered, DeviceError, Execute, Limits, Timing};
use halimede_arith::operation_over;
use halimede_device::{in_pool, Device};
use halimede_zcash::{
    verify_blocks, Block, ChainState, Known, Network, SpentOutputs, Submission, Summary,
    VerifyError,
};

use super::{Endpoint, Served};
use crate::queue::Queue;
use crate::refusal::{Reason, Refusal};

/// The maximum number of bytes of a block (Zcash protocol specification, section 7.6).
const MOST_BLOCK_BYTES: usize = 2_000_000;
/// The maximum number of bytes of the spent outputs, and of the state; the limit of a body is
/// smaller.
const MOST_TEXT_BYTES: usize = u32::MAX as usize / 2;
/// The memory of a parsed block, its checks, its report and the report's JSON, per byte of the
/// block. A block of the shortest transactions needs the most: `tests/service/zcash.rs`.
const GROWTH: usize = 80;
/// The bytes of the shortest valid transaction, with an input and an output without scripts. The
/// report on a block of shorter ones would be many times longer than the block.
const LEAST_TRANSACTION_BYTES: usize = 60;
/// The maximum number of blocks that are verified before other queues have their turn.
const PIECE_BLOCKS: usize = 8;

static VERIFY: About = About {
    name: "zcash.verify_block",
    path: "/v1/zcash/verify-block",
    summary: "Verifies Zcash blocks",
    settings: &[Setting {
        name: "network",
        about: "The network of the blocks.",
        values: Values::Choice(&["main", "test", "regtest"]),
        default: Some("main"),
    }],
    item: &[
        Field::bytes("block", "The block, as nodes serialize it.", 1, MOST_BLOCK_BYTES),
        Field::text("height", "The height in decimal digits.", 0, 10).optional(),
        Field::text(
            "history_root",
            "The root of the chain's history before the block (ZIP 221), 64 hexadecimal digits.",
            0,
            64,
        )
        .optional(),
        Field::text(
            "spent",
            "The outputs that the block spends, one JSON object a line, as for `halimede zcash \
             verify-block --spent`.",
            0,
            MOST_TEXT_BYTES,
        )
        .optional(),
        Field::text(
            "state",
            "The state of the chain before the block, JSON, as for `halimede zcash verify-block \
             --state`.",
            0,
            MOST_TEXT_BYTES,
        )
        .optional(),
    ],
    reply: Reply::Json("report"),
    examples: &[Example {
        settings: &[],
        objects: &[],
        item: include_str!("examples/zcash_block.json"),
        answer: include_str!("examples/zcash_report.json"),
        source: "block 346 of the main network",
    }],
};

/// The verification of a block.
struct VerifyBlock;

/// A request of [`VerifyBlock`].
#[derive(Clone)]
struct BlockRequest(Arc<GivenBlock>);

/// A block, with the statements of the client about it.
struct GivenBlock {
    block: Block,
    spent: SpentOutputs,
    state: Option<ChainState>,
    known: Known,
}

operation_over!(VerifyBlock, BlockRequest, Result<String, String>, "zcash.verify_block", |row| row
    .0
    .block
    .transactions()
    .len());

/// Returns the endpoint of blocks.
pub fn endpoint(queue: &Arc<Queue>) -> Arc<dyn Endpoint> {
    let place = Arc::new(BlockDevice(Arc::clone(queue.device())));
    let plan = Box::new(move |settings: Settings| plan(&settings).map(Arc::new));
    Arc::new(Served { about: &VERIFY, plan, lane: queue.lane_to(place) })
}

fn plan(settings: &Settings) -> Result<Plan<VerifyBlock>, Refusal> {
    let network: Result<Network, _> = settings.get("network").parse();
    let network = network.map_err(|error| Refusal::new(Reason::Setting, error.to_string()))?;
    let answer = |reply| match reply {
        Ok(report) => Answer::Json(report),
        Err(reason) => Answer::Bad(Invalid::from(reason)),
    };
    let plan = Plan::new(move |item| read(item, network).map_err(Invalid::from), answer);
    Ok(Plan { growth: GROWTH, ..plan })
}

/// Reads the fields of an item.
fn read(mut item: Record, network: Network) -> Result<BlockRequest, String> {
    fn named<E: std::fmt::Display>(name: &'static str) -> impl Fn(E) -> String {
        move |error| format!("`{name}`: {error}")
    }
    let bytes = item.bytes();
    let block = Block::parse(&bytes, network).map_err(named("block"))?;
    let count = block.transactions().len();
    if bytes.len() < count * LEAST_TRANSACTION_BYTES {
        let got = bytes.len();
        return Err(format!(
            "`block`: {count} transactions in {got} bytes; a valid one has at least \
             {LEAST_TRANSACTION_BYTES} bytes"
        ));
    }
    let [height, history_root, spent, state] = std::array::from_fn(|_| item.text());
    let given = |text: &String| !text.is_empty();
    let height = Some(height).filter(given).map(|height| height.parse()).transpose();
    let history_root = Some(history_root).filter(given).map(|root| root.parse()).transpose();
    let state = Some(state).filter(given).map(|state| ChainState::read(state.as_bytes()));
    let known = Known {
        height: height.map_err(named::<std::num::ParseIntError>("height"))?,
        branch: None,
        history_root: history_root.map_err(named::<halimede_zcash::HashError>("history_root"))?,
    };
    let spent = SpentOutputs::read(spent.as_bytes()).map_err(named("spent"))?;
    let state = state.transpose().map_err(named("state"))?;
    Ok(BlockRequest(Arc::new(GivenBlock { block, spent, state, known })))
}

/// The device of the service.
struct BlockDevice(Arc<Device>);

impl Execute<VerifyBlock> for BlockDevice {
    fn execute(
        &self,
        batch: &[BlockRequest],
    ) -> Result<Answered<Vec<Result<String, String>>>, DeviceError> {
        let start = Instant::now();
        let submissions: Vec<Submission<'_>> = batch.iter().map(BlockRequest::submission).collect();
        let verified = in_pool(|| verify_blocks(&*self.0, &submissions));
        let (reports, _) = verified.map_err(|error| self.error(error, batch.len()))?;
        let replies = batch.iter().zip(&reports).map(|(BlockRequest(given), report)| {
            let summary = Summary::in_batch(&given.block, given.known, report);
            summary.map(|summary| summary.to_string()).map_err(|error| error.to_string())
        });
        let replies = replies.collect();
        let timing = Timing { compute: start.elapsed(), ..Timing::default() };
        Ok(Answered { replies, timing })
    }

    fn limits(&self) -> Limits {
        Limits { piece: Amount::of_requests(PIECE_BLOCKS), ..Limits::default() }
    }
}

impl BlockDevice {
    /// Returns a failure during the blocks of a batch: the requests that a failed device counts are
    /// the signatures and proofs of all of them.
    fn error(&self, error: VerifyError, requests: usize) -> DeviceError {
        match error {
            VerifyError::Device(DeviceError::Failed { device, reason, .. }) => {
                DeviceError::Failed { device, request_index: 0, requests, reason }
            }
            VerifyError::Device(error) => error,
            error => {
                let (device, reason) = (self.0.name().to_owned(), error.to_string());
                DeviceError::Failed { device, request_index: 0, requests, reason }
            }
        }
    }
}

impl BlockRequest {
    fn submission(&self) -> Submission<'_> {
        let GivenBlock { block, spent, state, known } = &*self.0;
        Submission { block, spent, known: *known, state: state.as_ref() }
    }
}
