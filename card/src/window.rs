// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The windows of the engines: their shape, counters, interrupts and watchdog.

use serde::{Serialize, Serializer};

use crate::card::Card;
use crate::error::CardError;
use crate::spec::{Capability, EngineWindow, Interrupt, Register, WindowRegister, WINDOWS};

/// The contents of an engine's window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineReport {
    /// Clocks with a request in the engine.
    pub busy_clocks: u64,
    /// Clocks in which the engine waited for a beat of a request.
    pub starved_clocks: u64,
    /// Clocks in which a beat of a reply waited to be accepted.
    pub blocked_clocks: u64,
    /// Requests answered with a status other than ok.
    pub errors: u64,
    /// Frames passed to the engine.
    pub requests: u64,
    /// Frames received from the engine.
    pub replies: u64,
    /// Clocks in which a flipped bit in a memory word was detected; 0 for a card before version 3.4
    /// of the protocol.
    pub memory_errors: u64,
    /// Failures of the engine because nothing moved; 0 for a card before version 3.4 of the
    /// protocol.
    pub time_outs: u64,
    /// Bytes of requests that can wait for the engine without blocking the others.
    pub queue_bytes: u32,
    /// The build parameters of the engine, by name (`docs/card.md`).
    #[serde(serialize_with = "map")]
    pub shape: Vec<(&'static str, u32)>,
    /// The engine's own counters, by name.
    #[serde(serialize_with = "map")]
    pub counters: Vec<(&'static str, u64)>,
    /// The interrupts that have occurred since they were last cleared.
    #[serde(serialize_with = "names")]
    pub interrupts_pending: Vec<Interrupt>,
    /// The interrupts that the card passes on.
    #[serde(serialize_with = "names")]
    pub interrupts_enabled: Vec<Interrupt>,
}

/// Serializes named values as a map.
fn map<T: Serialize, S: Serializer>(
    pairs: &[(&'static str, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Serializes interrupts as their names.
fn names<S: Serializer>(interrupts: &[Interrupt], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(interrupts.iter().map(|interrupt| interrupt.name()))
}

/// Returns a mask of interrupts: the bit of each is its number.
pub fn interrupt_mask(interrupts: &[Interrupt]) -> u32 {
    interrupts.iter().fold(0, |mask, interrupt| mask | 1 << *interrupt as u32)
}

/// Returns the interrupts of a mask. Bits without a meaning are ignored.
pub fn interrupts_of(mask: u32) -> Vec<Interrupt> {
    Interrupt::ALL.into_iter().filter(|interrupt| mask >> *interrupt as u32 & 1 == 1).collect()
}

impl EngineWindow {
    /// Returns the address of a word of a register.
    fn word(&self, register: WindowRegister, word: usize) -> u32 {
        self.address + register as u32 + 4 * word as u32
    }
}

impl Card {
    /// Returns the window of an engine that this card has.
    fn window_of(&self, engine: Capability) -> Result<&'static EngineWindow, CardError> {
        let window = WINDOWS.iter().find(|window| window.capability == engine);
        match window.filter(|_| self.opening_status().has(engine)) {
            Some(window) => Ok(window),
            None => Err(CardError::Unexpected(format!(
                "the card has no engine {}, whose window was requested",
                engine.name()
            ))),
        }
    }

    /// Reads a whole counter: the read of its low word freezes the high word.
    fn counter(&self, address: u32) -> Result<u64, CardError> {
        let low = self.read_address(address)?;
        Ok(u64::from(low) | u64::from(self.read_address(address + 4)?) << 32)
    }

    /// Reads the build parameters of an engine, by name (`docs/card.md`): the words of its window's
    /// shape.
    ///
    /// # Errors
    /// See [`Self::engine_report`].
    pub fn engine_shape(&self, engine: Capability) -> Result<Vec<(&'static str, u32)>, CardError> {
        let window = self.window_of(engine)?;
        let word = |word| self.read_address(window.word(WindowRegister::Shape, word));
        let named = window.shape.iter().enumerate();
        named.map(|(number, name)| Ok((*name, word(number)?))).collect()
    }

    /// Reads the window of an engine. The values are read sequentially, while the engine continues.
    ///
    /// # Errors
    /// [`CardError::Register`] for a card before version 3.3 of the protocol, which has no windows,
    /// [`CardError::Unexpected`] if the card does not have the engine; otherwise as for any
    /// command.
    pub fn engine_report(&self, engine: Capability) -> Result<EngineReport, CardError> {
        let window = self.window_of(engine)?;
        let read = |register, word| self.read_address(window.word(register, word));
        let count = |register, pair| self.counter(window.word(register, 2 * pair));
        let since_3_4 = |register| match self.opening_status().version >= 3 << 16 | 4 {
            true => count(register, 0),
            false => Ok(0),
        };
        let named = |names: &'static [&'static str]| names.iter().copied().enumerate();
        Ok(EngineReport {
            busy_clocks: count(WindowRegister::Busy, 0)?,
            starved_clocks: count(WindowRegister::Starved, 0)?,
            blocked_clocks: count(WindowRegister::Blocked, 0)?,
            errors: count(WindowRegister::Errors, 0)?,
            requests: count(WindowRegister::Requests, 0)?,
            replies: count(WindowRegister::Replies, 0)?,
            memory_errors: since_3_4(WindowRegister::MemoryErrors)?,
            time_outs: since_3_4(WindowRegister::TimeOuts)?,
            queue_bytes: read(WindowRegister::QueueBytes, 0)?,
            shape: self.engine_shape(engine)?,
            counters: named(window.counters)
                .map(|(pair, name)| Ok((name, count(WindowRegister::Counters, pair)?)))
                .collect::<Result<_, CardError>>()?,
            interrupts_pending: interrupts_of(read(WindowRegister::InterruptPending, 0)?),
            interrupts_enabled: interrupts_of(read(WindowRegister::InterruptEnable, 0)?),
        })
    }

    /// Selects the interrupts of an engine that the card passes on, to the wire of a board and to
    /// [`Self::interrupting`].
    ///
    /// # Errors
    /// See [`Self::engine_report`].
    pub fn enable_interrupts(
        &self,
        engine: Capability,
        enabled: &[Interrupt],
    ) -> Result<(), CardError> {
        let window = self.window_of(engine)?;
        self.write_address(window.word(WindowRegister::InterruptEnable, 0), interrupt_mask(enabled))
    }

    /// Clears interrupts of an engine.
    ///
    /// # Errors
    /// See [`Self::engine_report`].
    pub fn clear_interrupts(
        &self,
        engine: Capability,
        cleared: &[Interrupt],
    ) -> Result<(), CardError> {
        let window = self.window_of(engine)?;
        self.write_address(
            window.word(WindowRegister::InterruptPending, 0),
            interrupt_mask(cleared),
        )
    }

    /// Returns the engines with an enabled interrupt pending.
    ///
    /// # Errors
    /// See [`Self::engine_report`].
    pub fn interrupting(&self) -> Result<Vec<Capability>, CardError> {
        let mask = self.read_register(Register::Interrupts)?;
        let is_set = |engine: &Capability| mask >> *engine as u32 & 1 == 1;
        Ok(Capability::ALL.into_iter().filter(is_set).collect())
    }

    /// Sets the watchdog of an engine: after this number of clocks with a request in the engine and
    /// without progress, it raises [`Interrupt::Stalled`]. 0 disables the watchdog.
    ///
    /// # Errors
    /// See [`Self::engine_report`].
    pub fn set_watchdog(&self, engine: Capability, clocks: u32) -> Result<(), CardError> {
        let window = self.window_of(engine)?;
        self.write_address(window.word(WindowRegister::Watchdog, 0), clocks)
    }
}
