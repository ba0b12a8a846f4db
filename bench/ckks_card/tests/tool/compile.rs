// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `compile` and `rates`: programs of a card, and their cost.

use halimede_ckks::card::Image;
use serde_json::Value;

use crate::ckks_card;

fn compiled(arguments: &str) -> Value {
    let outcome = ckks_card(&format!("compile {arguments} --json"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn every_file_of_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [program, listing, timeline, trace, map] =
        ["p.bin", "l.txt", "t.svg", "t.json", "m.json"].map(path);
    let answer = compiled(&format!(
        "--operation cmult --params n10-insecure --lanes 16 --scratchpad 0.5 --out {} --listing {} \
         --timeline {} --trace {} --map {}",
        program.display(),
        listing.display(),
        timeline.display(),
        trace.display(),
        map.display()
    ));
    let image = Image::from_bytes(&std::fs::read(&program).unwrap()).unwrap();
    assert_eq!(answer["report"]["words"], image.words());
    assert_eq!(image.log_degree, 10);
    let text = std::fs::read_to_string(&listing).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with(';'));
    assert_eq!(lines.count(), image.words());
    assert!(std::fs::read_to_string(&timeline).unwrap().starts_with("<svg"));
    let trace: Value = serde_json::from_slice(&std::fs::read(&trace).unwrap()).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().len() > image.commands.len());
    let map: Value = serde_json::from_slice(&std::fs::read(&map).unwrap()).unwrap();
    assert_eq!(map["segments"].as_array().unwrap().len(), image.segments);
    assert!(map["segments"].to_string().contains("key for products, digit 0, a"));
}

#[test]
fn more_of_a_card_takes_less_time() {
    let clocks = |arguments: &str| {
        let all = format!("--operation rotation --params n13-insecure {arguments}");
        compiled(&all)["report"]["clocks"].as_u64().unwrap()
    };
    let few = clocks("--lanes 16 --scratchpad 2");
    assert!(clocks("--lanes 64 --scratchpad 2") < few / 2);
    assert!(clocks("--lanes 16 --scratchpad 2 --columns 1") > few);
    assert!(clocks("--lanes 16 --scratchpad 2 --bandwidth 4") > few);
    assert!(clocks("--lanes 16 --scratchpad 2 --partitions 1") > few);
    // More slots do not store more limbs; conflicts within partitions are random.
    assert!(clocks("--lanes 16 --scratchpad 8") < few + few / 16);
    assert!(clocks("--lanes 16 --scratchpad 0.8") > few);
}

#[test]
fn the_table_has_every_operation() {
    let csv = ckks_card("rates --basic --format csv");
    assert_eq!(csv.code, Some(0), "{}", csv.stderr);
    assert_eq!(csv.stdout.trim_end().lines().count(), 1 + 7 * 4);
    for name in ["HAdd", "PMult", "NTT", "Rescale", "Keyswitch", "Rotation", "CMult"] {
        assert_eq!(csv.stdout.matches(&format!("\n\"{name},")).count(), 4, "{name}");
    }
    // Each operation is at least as fast as on the published accelerator; sums within 5 %.
    for line in csv.stdout.lines().skip(1) {
        let cells: Vec<&str> = line.rsplit(',').collect();
        let [model, published]: [f64; 2] = [5, 7].map(|place| cells[place].parse().unwrap());
        let is_sum = line.contains("HAdd") || line.contains("PMult");
        assert!(model > published * if is_sum { 0.95 } else { 1.0 }, "{line}");
    }
}

#[test]
fn what_cannot_be_compiled() {
    for (arguments, said) in [
        ("--operation cmult --params n10-insecure --lanes 12", "--lanes 12"),
        ("--operation cmult --params n10-insecure --radix 32", "--radix 32"),
        ("--operation cmult --params n10-insecure --columns 5", "--columns 5"),
        ("--operation cmult --params n10-insecure --tables 3", "--tables 3"),
        ("--operation cmult --params n10-insecure --clock 0", "--clock 0"),
        ("--operation cmult --params n10-insecure --scratchpad 0.01", "slots"),
        ("--operation bootstrap --params n10-insecure", "bootstrap"),
    ] {
        let outcome = ckks_card(&format!("compile {arguments}"));
        assert_eq!(outcome.code, Some(2), "{arguments}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(said), "{arguments}: {}", outcome.stderr);
    }
}
