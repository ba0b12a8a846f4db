// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The windows of a card's engines, by the names of the engines.

use halimede_arith::job::DeviceError;
use halimede_card::spec::{Capability, Interrupt, WINDOWS};
use halimede_card::{Card, CardError, EngineReport};

use crate::Device;

/// The name of the operation in errors.
const OPERATION: &str = "engine windows";

/// The windows of the engines of a card: counters, shape, interrupts and watchdog of each
/// (`docs/card.md`).
#[derive(Clone, Copy, Debug)]
pub struct Windows<'a> {
    device: &'a Device,
}

impl Device {
    /// Returns the windows of the engines of a card.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] if the device is not a card; [`DeviceError::Unavailable`] if
    /// the card could not be opened and its fallback answers.
    pub fn windows(&self) -> Result<Windows<'_>, DeviceError> {
        match self.card() {
            Some(_) => Ok(Windows { device: self }),
            None => Err(self.lacks_operation(OPERATION, "only cards have them")),
        }
    }
}

/// Returns interrupts by name.
///
/// # Errors
/// The unknown name, and the valid ones.
pub fn interrupts_by_name<'n>(
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<Interrupt>, String> {
    let by_name = |name: &str| {
        Interrupt::ALL.into_iter().find(|interrupt| interrupt.name() == name).ok_or_else(|| {
            let known = Interrupt::ALL.map(Interrupt::name).join(", ");
            format!("unknown interrupt {name:?}; wanted one of {known}")
        })
    };
    names.into_iter().map(by_name).collect()
}

impl Windows<'_> {
    /// Returns the engines of the card that have a window.
    pub fn engines(&self) -> Vec<Capability> {
        let engines = WINDOWS.iter().map(|window| window.capability);
        let here = &self.device.capabilities().engines;
        engines.filter(|engine| here.iter().any(|other| other.name == engine.name())).collect()
    }

    /// Returns an engine of the card by name.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] with the names of the card's engines.
    pub fn engine(&self, name: &str) -> Result<Capability, DeviceError> {
        let engines = self.engines();
        engines.iter().find(|engine| engine.name() == name).copied().ok_or_else(|| {
            let known = engines.iter().map(|engine| engine.name()).collect::<Vec<_>>().join(", ");
            self.unsupported(format!("the card has no engine {name:?}; it has {known}"))
        })
    }

    /// Reads the window of an engine.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] for a card before version 3.3 of the protocol or without the
    /// engine; [`DeviceError::Failed`] if the card does not answer.
    pub fn report(&self, engine: Capability) -> Result<EngineReport, DeviceError> {
        self.card(engine)?.engine_report(engine).map_err(|error| self.failed(&error))
    }

    /// Enables exactly these interrupts of an engine.
    ///
    /// # Errors
    /// As [`Self::report`].
    pub fn enable_interrupts(
        &self,
        engine: Capability,
        enabled: &[Interrupt],
    ) -> Result<(), DeviceError> {
        self.card(engine)?.enable_interrupts(engine, enabled).map_err(|error| self.failed(&error))
    }

    /// Clears pending interrupts of an engine.
    ///
    /// # Errors
    /// As [`Self::report`].
    pub fn clear_interrupts(
        &self,
        engine: Capability,
        cleared: &[Interrupt],
    ) -> Result<(), DeviceError> {
        self.card(engine)?.clear_interrupts(engine, cleared).map_err(|error| self.failed(&error))
    }

    /// Returns the engines with an enabled interrupt pending.
    ///
    /// # Errors
    /// As [`Self::report`].
    pub fn interrupting(&self) -> Result<Vec<Capability>, DeviceError> {
        let mut engines = Vec::new();
        for (_, card) in self.device.opened_parts() {
            engines.extend(card.interrupting().map_err(|error| self.failed(&error))?);
        }
        Ok(engines)
    }

    /// Sets an engine's watchdog: after this number of clocks without progress, while it has work,
    /// the engine raises [`Interrupt::Stalled`]; 0 disables the watchdog.
    ///
    /// # Errors
    /// As [`Self::report`].
    pub fn set_watchdog(&self, engine: Capability, clocks: u32) -> Result<(), DeviceError> {
        self.card(engine)?.set_watchdog(engine, clocks).map_err(|error| self.failed(&error))
    }

    /// Returns the card that has an engine.
    fn card(&self, engine: Capability) -> Result<&Card, DeviceError> {
        let card = self.device.part(engine.name())?.card();
        card.ok_or_else(|| self.unsupported("only cards have them".into()))
    }

    fn unsupported(&self, reason: String) -> DeviceError {
        DeviceError::Unsupported {
            device: self.device.name().to_owned(),
            operation: OPERATION,
            reason,
        }
    }

    /// A refused register means an older card without it; any other error is a failure.
    fn failed(&self, error: &CardError) -> DeviceError {
        let reason = error.to_string();
        match error {
            CardError::Register { .. } => self.unsupported(reason),
            _ => DeviceError::Failed {
                device: self.device.name().to_owned(),
                request_index: 0,
                requests: 1,
                reason,
            },
        }
    }
}
