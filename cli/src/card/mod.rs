// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede card …`: starts a simulated card, tests a card, measures its link, reads its counters.

mod bench;
mod images;
mod report;

use std::os::unix::process::CommandExt;
use std::path::Path;

use halimede_arith::job::DeviceError;
use halimede_device::simulator::{self, SimulatorOptions};
use halimede_device::Device;

use crate::arguments::{CardCommand, SelftestOptions, ServeOptions};
use crate::devices::settings;
use crate::error::CommandError;
use crate::output::{print_line, print_table};

/// Runs one of the card commands.
pub fn run(command: &CardCommand, json: bool) -> Result<(), CommandError> {
    match command {
        CardCommand::Sim => images::run(json),
        CardCommand::Serve(options) => serve(options),
        CardCommand::Selftest(options) => selftest(options, json),
        CardCommand::Bench(options) => bench::run(options, json),
        CardCommand::Report(options) => report::run(options, json),
    }
}

/// Replaces this process by the simulator, which runs in the foreground until a signal stops it.
fn serve(options: &ServeOptions) -> Result<(), CommandError> {
    check_folder("--socket", &options.socket)?;
    if let Some(trace) = &options.trace {
        check_folder("--trace", trace)?;
    }
    let engines = options.engines.as_ref();
    let settings = SimulatorOptions {
        engines: engines.map(|list| list.split(',').map(str::to_string).collect()),
        trace: options.trace.clone(),
        image: options.image,
        ..SimulatorOptions::default()
    };
    let mut command = simulator::command(&settings, &options.socket)?;
    let error = command.exec();
    let reason = format!("{} did not start: {error}", command.get_program().display());
    Err(DeviceError::Unavailable { device: "sim".into(), reason }.into())
}

/// Refuses a path whose folder does not exist.
fn check_folder(option: &str, path: &Path) -> Result<(), CommandError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_none_or(Path::is_dir) {
        return Ok(());
    }
    let reason = format!("{option} {}: its folder does not exist", path.display());
    Err(CommandError::BadInput(reason))
}

fn selftest(options: &SelftestOptions, json: bool) -> Result<(), CommandError> {
    let device = Device::open_with(&options.device, &settings(options.time_limit))?;
    let results = device.selftest()?;
    if json {
        let object = serde_json::json!({ "device": options.device, "selftest": results });
        print_line(&object.to_string())?;
    } else {
        let rows: Vec<Vec<String>> = results
            .iter()
            .map(|check| {
                let passed = if check.passed { "ok" } else { "FAILED" };
                vec![check.name.clone(), passed.into(), check.detail.clone()]
            })
            .collect();
        print_table(&["check", "result", "detail"], &rows)?;
    }
    let failed = results.iter().filter(|check| !check.passed).count();
    if failed > 0 {
        return Err(CommandError::ChecksFailed { failed, checks: results.len() });
    }
    Ok(())
}
