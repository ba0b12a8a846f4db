// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede card bench`: measures latency and bandwidth of the link to a card, and checks echoes.

use std::time::{Duration, Instant};

use halimede_arith::job::{Bytes, Execute};
use halimede_device::Device;
use halimede_loopback::{Echo, EchoBatch};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::Serialize;

use crate::arguments::BenchOptions;
use crate::devices::settings;
use crate::error::CommandError;
use crate::output::{print_line, print_table};
use crate::progress::steps_bar;

/// The maximum number of requests of a batch, and of bytes of its data.
const BATCH: usize = 1 << 12;
const BATCH_BYTES: usize = 1 << 22;

/// The minimum number of round trips to measure a latency.
const LEAST_TRIPS: usize = 20;

/// The results for one size.
#[derive(Debug, Serialize)]
struct Measured {
    data_bytes: usize,
    round_trips: usize,
    round_trip_median_us: f64,
    round_trip_p99_us: f64,
    echoes: usize,
    echoes_per_second: f64,
    megabytes_per_second: f64,
    wrong: usize,
}

/// Runs the command.
pub fn run(options: &BenchOptions, json: bool) -> Result<(), CommandError> {
    let device = &options.device;
    let open = Device::open_with(&device.device, &settings(device.time_limit))?;
    let bar = steps_bar(2 * options.sizes.len() as u64);
    let mut rng = StdRng::seed_from_u64(1);
    let mut rows = Vec::new();
    for &size in &options.sizes {
        bar.set_message(format!("{size} bytes"));
        let (mut trips, mut wrong) = round_trips(&open, &mut rng, size, options.seconds)?;
        bar.inc(1);
        let (echoes, time, wrong_echoes) = batches(&open, &mut rng, size, options.seconds)?;
        bar.inc(1);
        wrong += wrong_echoes;
        trips.sort_unstable();
        let echoes_per_second = echoes as f64 / time.as_secs_f64();
        rows.push(Measured {
            data_bytes: size,
            round_trips: trips.len(),
            round_trip_median_us: micros(trips[trips.len() / 2]),
            round_trip_p99_us: micros(trips[(trips.len() * 99 / 100).min(trips.len() - 1)]),
            echoes,
            echoes_per_second,
            megabytes_per_second: echoes_per_second * size as f64 / 1e6,
            wrong,
        });
    }
    bar.finish_and_clear();
    print(&device.device, &rows, json)?;
    let failed: usize = rows.iter().map(|row| row.wrong).sum();
    match failed {
        0 => Ok(()),
        _ => {
            let checks = rows.iter().map(|row| row.round_trips + row.echoes).sum();
            Err(CommandError::ChecksFailed { failed, checks })
        }
    }
}

/// Sends single echoes sequentially. Returns their times, and the number of changed echoes.
fn round_trips(
    device: &Device,
    rng: &mut StdRng,
    size: usize,
    limit: Duration,
) -> Result<(Vec<Duration>, usize), CommandError> {
    let (mut times, mut wrong) = (Vec::new(), 0);
    let mut data = vec![0u8; size];
    let start = Instant::now();
    while times.len() < LEAST_TRIPS || start.elapsed() < limit {
        rng.fill(data.as_mut_slice());
        let batch = EchoBatch::Data(Bytes::Each(&[&data]));
        let begun = Instant::now();
        let answered = Execute::<Echo>::execute(device, batch)?;
        times.push(begun.elapsed());
        wrong += usize::from(answered.replies[0] != data);
    }
    Ok((times, wrong))
}

/// Sends echoes in batches. Returns the number of echoes, their time, and the number of changed
/// echoes.
fn batches(
    device: &Device,
    rng: &mut StdRng,
    size: usize,
    limit: Duration,
) -> Result<(usize, Duration, usize), CommandError> {
    let count = BATCH.min(BATCH_BYTES / size.max(1)).max(1);
    let mut data = vec![0u8; size * count];
    rng.fill(data.as_mut_slice());
    let (mut echoes, mut time, mut wrong) = (0, Duration::ZERO, 0);
    while time < limit || echoes == 0 {
        // A different byte changes in each batch, so that successive batches differ.
        if let Some(byte) = data.get_mut(echoes % (size * count).max(1)) {
            *byte = byte.wrapping_add(1);
        }
        let column = Bytes::Equal { data: &data, length: size, count };
        let begun = Instant::now();
        let answered = Execute::<Echo>::execute(device, EchoBatch::Data(column))?;
        time += begun.elapsed();
        let expected = (0..count).map(|i| &data[i * size..(i + 1) * size]);
        wrong += answered.replies.iter().zip(expected).filter(|(got, sent)| got != sent).count();
        echoes += count;
    }
    Ok((echoes, time, wrong))
}

fn print(device: &str, rows: &[Measured], json: bool) -> Result<(), CommandError> {
    if json {
        let object = serde_json::json!({ "device": device, "echoes": rows });
        return print_line(&object.to_string());
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.data_bytes.to_string(),
                format!("{:.1}", row.round_trip_median_us),
                format!("{:.1}", row.round_trip_p99_us),
                format!("{:.0}", row.echoes_per_second),
                format!("{:.2}", row.megabytes_per_second),
                row.wrong.to_string(),
            ]
        })
        .collect();
    let header = [
        "data (bytes)",
        "round trip (µs, median)",
        "99 %",
        "echoes/s in batches",
        "MB/s each way",
        "changed",
    ];
    print_table(&header, &cells)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
