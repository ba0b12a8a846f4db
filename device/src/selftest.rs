// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The self-test: checks that a device computes correctly.

use std::time::Instant;

use halimede_arith::job::DeviceError;
use halimede_arith::Backend;
use halimede_card::spec::{Capability, Register};
use halimede_card::{Card, CardError};

use crate::check::{check, SelfTestCheck};
use crate::device::{unavailable, Device};
use crate::examples;

impl Device {
    /// Runs the self-test: known answers of each instance or mode of each engine, and the examples
    /// of every operation of the device. For a card also the reset, the status, the registers, the
    /// capabilities and an undecodable frame, which must be answered with *ignore*; for the
    /// simulated card, all of its images. The fallback does not take part.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if a card does not even answer the reset, or if the environment
    /// requests a backend that this processor lacks; any other fault is a check that fails.
    pub fn selftest(&self) -> Result<Vec<SelfTestCheck>, DeviceError> {
        let mut checks = Vec::new();
        for part in self.parts()? {
            match part.card() {
                Some(card) => checks.extend(part.test_card(card)?),
                None => checks.extend(part.test_answers()?),
            }
        }
        Ok(checks)
    }

    fn test_answers(&self) -> Result<Vec<SelfTestCheck>, DeviceError> {
        if self.executors().operations().next().is_none() {
            return Err(self.lacks_operation("selftest", "it has no operation"));
        }
        if let Err(error) = Backend::chosen() {
            return Err(DeviceError::of_backend(self.name(), &error));
        }
        Ok(examples::checks(self))
    }

    fn test_card(&self, card: &Card) -> Result<Vec<SelfTestCheck>, DeviceError> {
        let start = Instant::now();
        card.reset().map_err(|error| unavailable(card.name(), &error))?;
        let time = start.elapsed();
        let detail = "answered".into();
        let mut checks = vec![SelfTestCheck { name: "reset".into(), passed: true, detail, time }];
        checks.push(check("status", || status(card)));
        checks.push(check("registers", || registers(card)));
        checks.push(check("capabilities", || capabilities(card)));
        checks.extend(examples::checks(self));
        checks.push(check("undecodable frame", || {
            card.check_ignore().map_err(|error| error.to_string())?;
            Ok("ignored, and the stream is still synchronized".into())
        }));
        Ok(checks)
    }
}

/// Checks that the status is the same as at the opening, and that the clock runs.
fn status(card: &Card) -> Result<String, String> {
    let words = |error: CardError| error.to_string();
    let first = card.status().map_err(words)?;
    let second = card.status().map_err(words)?;
    let opening = card.opening_status();
    let identity = |status: &halimede_card::command::Status| {
        (status.version, status.build_id, status.capabilities, status.stream_bytes)
    };
    if identity(&second) != identity(opening) {
        return Err("the card's identity differs from the one at the opening".into());
    }
    if second.clocks <= first.clocks {
        return Err(format!("its clock does not advance from {}", first.clocks));
    }
    Ok(format!("protocol {}, build {:#010x}", second.protocol(), second.build_id))
}

/// Checks that the registers agree with the status.
fn registers(card: &Card) -> Result<String, String> {
    let read = |register| card.read_register(register).map_err(|error| error.to_string());
    let status = card.opening_status();
    let expected = [
        (Register::Id, Register::Id.reset_value().unwrap_or_default()),
        (Register::Version, status.version),
        (Register::BuildId, status.build_id),
        (Register::Capabilities, status.capabilities),
        (Register::MaxFrameBytes, status.max_frame_bytes),
        (Register::StreamBytes, status.stream_bytes),
    ];
    for (register, expected) in expected {
        let got = read(register)?;
        if got != expected {
            let name = register.name();
            return Err(format!("{name} is {got:#010x}, its status says {expected:#010x}"));
        }
    }
    Ok(format!("{} agree with the status", expected.len()))
}

/// Returns the names of the engines; an error for a card without engines.
fn capabilities(card: &Card) -> Result<String, String> {
    let status = card.opening_status();
    let engines: Vec<&str> = Capability::ALL
        .iter()
        .filter(|engine| status.has(**engine))
        .map(|engine| engine.name())
        .collect();
    if engines.is_empty() {
        return Err("the card has no engine".into());
    }
    Ok(engines.join(", "))
}
