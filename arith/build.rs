// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chooses the lanes for which kernels are compiled: all of the processor's architecture, or with
//! `HALIMEDE_LANES=native` only the best of the building machine, in half the time.

#![allow(clippy::print_stdout, reason = "the interface of build scripts")]

use std::env;
use std::process::ExitCode;

/// The environment variable.
const VARIABLE: &str = "HALIMEDE_LANES";

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rustc-check-cfg=cfg(native_lanes)");
    let values = r#""nearest", "avx_ifma", "doubles", "ifma", "none""#;
    println!("cargo::rustc-check-cfg=cfg(native_lanes, values({values}))");
    let value = env::var_os(VARIABLE).unwrap_or_default();
    match value.to_str() {
        Some("" | "all") => return ExitCode::SUCCESS,
        Some("native") => {}
        _ => {
            println!("cargo::error={VARIABLE} is {value:?}; it must be all or native");
            return ExitCode::FAILURE;
        }
    }
    if env::var_os("HOST") != env::var_os("TARGET") {
        println!("cargo::error={VARIABLE}=native: the build is for another machine");
        return ExitCode::FAILURE;
    }
    println!("cargo::rustc-cfg=native_lanes");
    println!("cargo::rustc-cfg=native_lanes=\"{}\"", native());
    ExitCode::SUCCESS
}

/// Returns the best lanes of this machine, as `Backend::best` chooses them.
#[cfg(target_arch = "x86_64")]
fn native() -> &'static str {
    let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let has_adx = is_x86_feature_detected!("adx") && is_x86_feature_detected!("bmi2");
    let has_avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
    match has_avx2 {
        false => "none",
        true if has_adx && has_avx512 && is_x86_feature_detected!("avx512ifma") => "ifma",
        true if has_adx && has_avx512 => "doubles",
        true if has_adx && is_x86_feature_detected!("avxifma") => "avx_ifma",
        true => "nearest",
    }
}

/// Other processors have no lanes.
#[cfg(not(target_arch = "x86_64"))]
fn native() -> &'static str {
    "none"
}
