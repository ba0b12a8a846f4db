// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several parties with one secret key at N = 2¹⁵, against Lattigo's package `multiparty`: the time
//! of each message and of each aggregation, and the bytes of messages.
//!
//! A message is bytes on both sides. Its time includes the uniform half that is expanded from the
//! common reference string; the time of an aggregation includes reading the bytes.

mod operation;
mod ours;
mod report;

use halimede_arith::EngineBackend;
use halimede_ckks::ring::LaneBackend;
use indicatif::ProgressBar;

use super::lattigo;
use super::process::{numbers, Process};
use crate::comparison::Settings;
use operation::Operation;
use ours::Group;
pub use report::{report, PartiesRecord};

/// The numbers of parties.
const COUNTS: [usize; 4] = [2, 3, 5, 16];

/// The parameters of one side, and the errors of its decryption.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figures {
    log2_qp: f64,
    log2_low: f64,
}

/// Measures both sides in turns on the current pool of `threads`. Without the peer its columns are
/// empty, and standard error has the reason.
///
/// # Errors
/// If an operation fails.
pub fn compare(
    threads: usize,
    settings: &Settings,
    only: &str,
) -> Result<Vec<PartiesRecord>, String> {
    if let Err(reason) = lattigo::build() {
        eprintln!("halimede-bench: without Lattigo: {reason}");
        return measure(threads, settings, only, false);
    }
    measure(threads, settings, only, true)
}

fn measure(
    threads: usize,
    settings: &Settings,
    only: &str,
    has_peer: bool,
) -> Result<Vec<PartiesRecord>, String> {
    let operations = Operation::ALL.into_iter().filter(|operation| operation.name().contains(only));
    let operations: Vec<Operation> = operations.collect();
    let bar = ProgressBar::new((COUNTS.len() * operations.len()) as u64);
    let mut records = Vec::new();
    for count in COUNTS {
        bar.println(format!("{count} parties"));
        let mut group = Group::new(count)?;
        let [log2_qp, log2_low, noise_bits] = group.figures()?;
        let mut peer = match has_peer {
            true => Some(start(threads, count, noise_bits)?),
            false => None,
        };
        for operation in &operations {
            let theirs = peer.as_ref().map(|(_, figures)| *figures);
            let mut record = PartiesRecord {
                bench: "ckks",
                case: format!("{}, {count} parties", operation.name()),
                operation: operation.name(),
                parties: count,
                backend: LaneBackend::active().name(),
                threads,
                ours_log2_qp: log2_qp,
                ours_log2_low: log2_low,
                noise_bits,
                unit: "ms",
                ours: None,
                ours_bytes: group.bytes(*operation),
                peer: lattigo::NAME,
                theirs_log2_qp: theirs.map(|figures| figures.log2_qp),
                theirs_log2_low: theirs.map(|figures| figures.log2_low),
                theirs: None,
                theirs_bytes: None,
                ratio: None,
            };
            time(*operation, settings, &mut group, peer.as_mut(), &mut record)?;
            records.push(record);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(records)
}

/// Starts the peer, whose parties make all keys, and checks the errors of its results.
fn start(threads: usize, count: usize, noise_bits: f64) -> Result<(Process, Figures), String> {
    let (count_text, bits) = (count.to_string(), noise_bits.to_string());
    let (mut peer, figures) = lattigo::start(threads, &["parties", &count_text, &bits])?;
    let [log2_qp, log2_low] =
        numbers(&figures).ok_or_else(|| format!("{figures:?} are not two figures"))?;
    let errors: [f64; 2] = peer.ask("error")?;
    // The values have two parts below 0.5 and more than three correct bits.
    match errors.iter().all(|error| *error < -3.0) {
        true => Ok((peer, Figures { log2_qp, log2_low })),
        false => Err(format!("Lattigo's errors are {errors:?} bits")),
    }
}

/// Times an operation on both sides in turns.
fn time(
    operation: Operation,
    settings: &Settings,
    group: &mut Group,
    peer: Option<&mut (Process, Figures)>,
    record: &mut PartiesRecord,
) -> Result<(), String> {
    let (name, has_ours) = (operation.peer(), group.has(operation));
    let has_theirs = has_ours || operation == Operation::CollectProducts;
    let ours = |calls: u32| {
        let times = (0..calls).map(|_| group.time(operation).map(|time| time.as_nanos() as f64));
        times.sum::<Result<f64, String>>()
    };
    let ours = Some(ours).filter(|_| has_ours);
    let theirs = match peer.filter(|_| has_theirs) {
        Some((peer, _)) => {
            if operation.has_message() {
                let [bytes] = peer.ask(&format!("bytes {name}"))?;
                record.theirs_bytes = Some(bytes as usize);
            }
            Some(|calls: u32| peer.ask::<1>(&format!("time {name} {calls}")).map(|[ns]| ns))
        }
        None => None,
    };
    let [ours, theirs] = settings.turns(ours, theirs)?;
    let ms = |ns: Option<f64>| ns.map(|ns| ns / 1e6);
    (record.ours, record.theirs) = (ms(ours), ms(theirs));
    record.ratio = ours.zip(theirs).map(|(ours, theirs)| theirs / ours);
    Ok(())
}
