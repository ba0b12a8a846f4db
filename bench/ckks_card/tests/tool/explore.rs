// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `explore`: cards of many sizes, and the page that draws them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{ckks_card, Outcome};

fn explored(arguments: &str) -> Outcome {
    ckks_card(&format!("explore --params n10-insecure {arguments}"))
}

/// The lines of a file by column, without the headings.
fn columns(text: &str, names: &[&str]) -> Vec<Vec<f64>> {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let headings = lines.next().unwrap();
    let places: Vec<usize> = names
        .iter()
        .map(|name| headings.iter().position(|heading| heading == name).unwrap())
        .collect();
    lines.map(|line| places.iter().map(|place| line[*place].parse().unwrap()).collect()).collect()
}

#[test]
fn the_front_is_what_no_other_point_beats() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("points.csv");
    let outcome = explored(&format!(
        "--operation rotation --lanes 8,16,32 --radix 4,8 --columns 1,3 --scratchpad 0.2,0.5 \
         --partitions 1,4 --digits 2,3 --bandwidth 4,16 --json --csv {}",
        file.display()
    ));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let points = columns(
        &std::fs::read_to_string(&file).unwrap(),
        &["milliseconds", "multipliers", "ultra_memories", "front"],
    );
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let unfit = answer["unfit"].as_array().unwrap().len();
    assert_eq!(points.len() + unfit, 3 * 2 * 2 * 2 * 2 * 2 * 2);
    assert_eq!(answer["points"].as_array().unwrap().len(), points.len());
    let is_less = |a: &[f64], b: &[f64]| (0..3).all(|of| a[of] <= b[of]) && a[..3] != b[..3];
    for point in &points {
        let is_beaten = points.iter().any(|other| is_less(other, point));
        assert_eq!(point[3] == 0.0, is_beaten, "{point:?}");
    }
    // Each of these larger sizes is faster.
    let time = |keep: &dyn Fn(&Value) -> bool| {
        let all = answer["points"].as_array().unwrap().iter().filter(|point| keep(point));
        all.map(|point| point["clocks"].as_u64().unwrap()).min().unwrap()
    };
    assert!(time(&|point| point["lanes"] == 32) < time(&|point| point["lanes"] == 8));
    assert!(time(&|point| point["partitions"] == 4) < time(&|point| point["partitions"] == 1));
    assert!(
        time(&|point| point["bandwidth_gb"] == 16.0) < time(&|point| point["bandwidth_gb"] == 4.0)
    );
}

#[test]
fn sizes_that_are_none() {
    for (arguments, said) in [
        ("--operation cmult --lanes 12", "--lanes 12"),
        ("--operation cmult --lanes 8 --radix 16", "--radix 16"),
        ("--operation cmult --partitions 3", "--partitions 3"),
        ("--operation cmult --partitions 128", "--partitions 128"),
        ("--operation cmult --scratchpad 0.001", "no card runs it"),
        ("--operation cmult --digits 0", "--digits 0"),
        ("--operation bootstrap", "bootstrap"),
    ] {
        let outcome = explored(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(said), "{arguments}: {}", outcome.stderr);
    }
    let many = ["1"; 120].join(",");
    let outcome = explored(&format!(
        "--operation cmult --bandwidth {many} --expand {many} --lanes 16 --radix 4"
    ));
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("at most 10000"), "{}", outcome.stderr);
}

/// Returns a page's document in a browser after its script has run.
fn in_a_browser(page: &Path) -> Option<String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let output = names.iter().find_map(|name| {
        let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"];
        Command::new(name).args(arguments).arg(format!("file://{}", page.display())).output().ok()
    })?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_page_works_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let outcome = explored(&format!(
        "--operation cmult --lanes 8,16,32 --radix 4 --columns 1,2,3 --scratchpad 0.2,0.5 --html {}",
        file.display()
    ));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let page = std::fs::read_to_string(&file).unwrap();
    // The page loads no other resources.
    assert!(!page.contains("http") && !page.contains("src=") && !page.contains("<link"));
    let points = page.matches("<tr data-point=").count();
    assert_eq!(page.matches("<circle data-point=").count(), 2 * points);
    let Some(document) = in_a_browser(&file) else {
        println!("skipped: Chromium is not installed");
        return;
    };
    // The script sorts the table by time, and marks its end.
    assert!(document.contains("data-ready=\"\""), "the script did not end");
    let times: Vec<f64> = document
        .split("<tr data-point=")
        .skip(1)
        .map(|row| {
            let (_, rest) = row.split_once("data-value=\"").unwrap();
            rest.split_once('"').unwrap().0.parse().unwrap()
        })
        .collect();
    assert_eq!(times.len(), points);
    assert!(times.is_sorted(), "{times:?}");
}
