// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Zcash blocks over HTTP: their reports are those of the library.

use halimede_arith::interface::{Field, Part, Record};
use halimede_device::Device;
use halimede_operations::binary;
use halimede_zcash::{Block, ChainState, Known, Network, SpentOutputs, Submission, Summary};
use serde_json::{json, Value};

use crate::common::{client, options, start};

const PATH: &str = "/v1/zcash/verify-block";
/// The first block with shielded Sapling parts, and those around it.
const HEIGHTS: [u32; 4] = [1, 347_500, 419_201, 419_202];

fn hex_of(height: u32) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/zcash/vectors/blocks");
    std::fs::read_to_string(format!("{folder}/main_{height:07}.hex")).unwrap().trim().to_owned()
}

/// The report that the library makes.
fn expected(block: &str, network: Network, known: Known, spent: &str, state: &str) -> Value {
    let block = Block::parse(&hex::decode(block).unwrap(), network).unwrap();
    let spent = SpentOutputs::read(spent.as_bytes()).unwrap();
    let state = (!state.is_empty()).then(|| ChainState::read(state.as_bytes()).unwrap());
    let submission = Submission { block: &block, spent: &spent, known, state: state.as_ref() };
    let (report, _) = submission.verify(&Device::cpu()).unwrap();
    Summary::in_batch(&block, known, &report).unwrap()
}

fn at(height: u32) -> Known {
    Known { height: Some(height), ..Known::default() }
}

#[test]
fn reports_are_those_of_the_library_in_any_batch() {
    let server = start(&options());
    let client = client(&server);
    let blocks = HEIGHTS.map(hex_of);
    let mut items = Vec::new();
    let mut reports = Vec::new();
    for (height, block) in HEIGHTS.iter().zip(&blocks) {
        items.push(json!({ "block": block, "height": height.to_string() }));
        reports.push(expected(block, Network::Main, at(*height), "", ""));
        items.push(json!({ "block": block, "height": "1000", "history_root": "00".repeat(32) }));
        let known = Known { history_root: Some("00".repeat(32).parse().unwrap()), ..at(1_000) };
        reports.push(expected(block, Network::Main, known, "", ""));
        items.push(json!({ "block": block }));
        reports.push(expected(block, Network::Main, Known::default(), "", ""));
    }
    let answers = client.call(PATH, &items).unwrap();
    for (answer, report) in answers.iter().zip(&reports) {
        assert_eq!(answer, &json!({ "report": report }));
    }
    assert!(reports.iter().any(|report| report["verdict"] == "invalid"));
    for (item, answer) in items.iter().zip(&answers) {
        let alone = client.call(&format!("{PATH}?network=main"), std::slice::from_ref(item));
        assert_eq!(alone.unwrap(), std::slice::from_ref(answer));
    }
    // On a network of another difficulty the same block is not valid.
    let answers = client.call(&format!("{PATH}?network=test"), &items[..1]).unwrap();
    let report = expected(&blocks[0], Network::Test, at(HEIGHTS[0]), "", "");
    assert_eq!(answers, [json!({ "report": report })]);
}

#[test]
fn outputs_and_the_state_decide_what_is_open() {
    let server = start(&options());
    let client = client(&server);
    let block = hex_of(419_202);
    let txid = "ab".repeat(32);
    let spent = json!({ "txid": txid, "vout": 0, "value": 7, "script": "51" }).to_string();
    let before = expected(&hex_of(419_201), Network::Main, at(419_201), "", "");
    let state = json!({ "hash": before["hash"], "height": 419_100 }).to_string();
    let items = [
        json!({ "block": block, "height": "419202", "spent": spent }),
        json!({ "block": block, "height": "419202", "state": state }),
    ];
    let answers = client.call(PATH, &items).unwrap();
    let reports = [
        expected(&block, Network::Main, at(419_202), &spent, ""),
        expected(&block, Network::Main, at(419_202), "", &state),
    ];
    assert_eq!(answers, reports.clone().map(|report| json!({ "report": report })));
    // By the state, the block has another height than it claims.
    assert_eq!(reports[1]["verdict"], "invalid");
}

#[test]
fn bad_items_are_named_and_leave_the_others_alone() {
    let server = start(&options());
    let block = hex_of(1);
    let mut cut = block.clone();
    cut.truncate(block.len() - 2);
    let items = [
        json!({ "block": block, "height": "1" }),
        json!({ "block": cut, "height": "1" }),
        json!({ "block": block, "height": "-1" }),
        json!({ "block": block, "history_root": "ab" }),
        json!({ "block": block, "spent": "{}" }),
        json!({ "block": block, "state": "[" }),
        json!({ "block": format!("{block}00") }),
        json!({ "block": block, "height": "1" }),
    ];
    let answers = client(&server).call(PATH, &items).unwrap();
    assert_eq!(answers[0], answers[7]);
    assert!(answers[0]["report"]["hash"].is_string());
    let names = ["block", "height", "history_root", "spent", "state", "block"];
    for (name, answer) in names.iter().zip(&answers[1..]) {
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with(&format!("`{name}`: ")), "{name}: {error}");
    }
}

#[test]
fn both_forms_have_the_same_reports() {
    let server = start(&options());
    let client = client(&server);
    let fields = [
        Field::bytes("block", "", 1, 2_000_000),
        Field::text("height", "", 0, 10),
        Field::text("history_root", "", 0, 64),
        Field::text("spent", "", 0, 1 << 20),
        Field::text("state", "", 0, 1 << 20),
    ];
    let mut body = Vec::new();
    let mut items = Vec::new();
    for (number, height) in HEIGHTS.iter().enumerate() {
        let block = hex_of(*height);
        let texts = [height.to_string(), String::new(), String::new(), String::new()];
        let mut parts = vec![Part::Bytes(hex::decode(&block).unwrap())];
        parts.extend(texts.map(Part::Text));
        binary::write_item(&Record(parts), &fields, number as u32, &mut body);
        items.push(json!({ "block": block, "height": height.to_string() }));
    }
    let answers = client.call(PATH, &items).unwrap();
    let frames = client.call_frames(PATH, &body).unwrap();
    let frames = binary::read_answers(&frames).unwrap();
    assert_eq!(frames.len(), answers.len());
    for (frame, answer) in frames.iter().zip(&answers) {
        let report: Value = serde_json::from_slice(frame.payload).unwrap();
        assert_eq!(&report, &answer["report"]);
    }
}

/// Returns a block of this many copies of a transaction.
fn block_of(transaction: &[u8], count: u16) -> Vec<u8> {
    let real = hex::decode(hex_of(1)).unwrap();
    let start = [&real[..1_487], &[253], &count.to_le_bytes()].concat();
    [start, transaction.repeat(usize::from(count))].concat()
}

/// The memory that is charged for a block covers its report: the longest, for its bytes, has many
/// of the shortest transactions. The factor is a sixth of `GROWTH` in `operations/zcash.rs`: the
/// report exists as a structure, as a JSON value, as text, and in the answer's body.
#[test]
fn reports_are_not_much_longer_than_their_blocks() {
    const LONGEST: usize = 13;
    let (version, input, output) = ([1, 0, 0, 0], [&[7; 36][..], &[0; 5]].concat(), [0; 9]);
    let one = [&version[..], &[1], &input, &[1], &output, &[0; 4]].concat();
    assert_eq!(one.len(), 60);
    let many = [&version[..], &[100], &input.repeat(100), &[1], &output, &[0; 4]].concat();
    for (transaction, count) in [(&one, 2_000), (&many, 300)] {
        let bytes = block_of(transaction, count);
        let report = expected(&hex::encode(&bytes), Network::Main, at(1), "", "");
        assert_eq!(report["verdict"], "invalid");
        let ratio = report.to_string().len().div_ceil(bytes.len());
        assert!(ratio <= LONGEST, "{ratio} bytes of report per byte of a block");
    }
    // Shorter transactions are refused.
    let empty = [&version[..], &[0, 0], &[0; 4]].concat();
    let item = json!({ "block": hex::encode(block_of(&empty, 2_000)) });
    let server = start(&options());
    let answers = client(&server).call(PATH, &[item]).unwrap();
    let error = answers[0]["error"].as_str().unwrap();
    assert!(error.contains("2000 transactions in 21490 bytes"), "{error}");
}
