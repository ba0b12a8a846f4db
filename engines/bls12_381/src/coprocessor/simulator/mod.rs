// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instruction-set simulator: it implements the manual with the engine's own arithmetic.

mod access;
mod context;
mod execute;
mod fields;
mod memory;
mod miller;
mod points;
mod window;

pub use context::{Context, PublishedClocks, Retired, State};

use std::ops::ControlFlow;

use super::interrupt::Interrupt;
use super::isa::CONTEXTS;

/// The coprocessor: contexts that are executed in turn, one instruction each.
///
/// The order of the contexts is not part of the instruction set; the order of one context's
/// instructions and interrupts is.
#[derive(Clone, Debug)]
pub struct Machine {
    contexts: Vec<Context>,
    has_extension: bool,
    windows: Vec<window::Staged>,
}

/// The callback of [`Machine::run`] after each instruction: the context's number, the executed
/// instruction, and the context after it.
pub type Observer<'o> = &'o mut dyn FnMut(usize, &Retired, &Context);

/// The callback of [`Machine::run_while`] after each step: the context's number, the executed
/// instruction if there was one, the context after it, and the interrupt that was sent. It ends the
/// run with [`ControlFlow::Break`].
pub type Watcher<'w> =
    &'w mut dyn FnMut(usize, Option<&Retired>, &Context, Option<Interrupt>) -> ControlFlow<()>;

impl Machine {
    /// Creates a coprocessor with the extension and this number of contexts, from 1 to
    /// [`CONTEXTS`].
    pub fn new(contexts: usize) -> Self {
        let contexts = contexts.clamp(1, CONTEXTS);
        Self {
            contexts: vec![Context::default(); contexts],
            has_extension: true,
            windows: vec![window::Staged::default(); contexts],
        }
    }

    /// Creates the published coprocessor: one context, without the extension.
    pub fn published() -> Self {
        Self { has_extension: false, ..Self::new(1) }
    }

    /// Returns `true` if the coprocessor has the extension.
    pub fn has_extension(&self) -> bool {
        self.has_extension
    }

    /// Returns the contexts.
    pub fn contexts(&self) -> &[Context] {
        &self.contexts
    }

    /// Returns a context, mutable, or `None` if it does not exist.
    pub fn context_mut(&mut self, number: usize) -> Option<&mut Context> {
        self.contexts.get_mut(number)
    }

    /// Executes one instruction of a context if it is running. Returns the executed instruction and
    /// the interrupt that was sent, if any.
    pub fn step(&mut self, number: usize) -> (Option<Retired>, Option<Interrupt>) {
        let Some(context) = self.contexts.get_mut(number) else { return (None, None) };
        if context.state() != State::Running {
            return (None, None);
        }
        let (retired, message) = context.step(self.has_extension);
        (retired, message.map(|message| Interrupt { context: number, message }))
    }

    /// Runs all contexts until each waits, has stopped or is at a breakpoint; a breakpoint at the
    /// first instruction of the run is ignored. Contexts stop after `limit` instructions, or after
    /// their own limit if that is lower.
    ///
    /// All interrupts are kept in memory: for untrusted programs use [`Self::run_while`].
    pub fn run(&mut self, limit: u32, observer: Observer<'_>) -> Vec<Interrupt> {
        let mut interrupts = Vec::new();
        self.run_while(limit, &mut |number, retired, context, interrupt| {
            interrupts.extend(interrupt);
            if let Some(retired) = retired {
                observer(number, retired, context);
            }
            ControlFlow::Continue(())
        });
        interrupts
    }

    /// Runs as [`Self::run`] does, until the watcher ends the run. Contexts keep their state.
    pub fn run_while(&mut self, limit: u32, watcher: Watcher<'_>) {
        let own_limits: Vec<u32> = self.contexts.iter().map(Context::limit).collect();
        for context in &mut self.contexts {
            let own = context.limit();
            let limit = limit.max(1);
            context.set_limit(if own == 0 { limit } else { own.min(limit) });
        }
        let mut is_first = true;
        'run: loop {
            let mut has_run = false;
            for number in 0..self.contexts.len() {
                if !is_first && self.contexts[number].is_at_breakpoint() {
                    continue;
                }
                let (retired, interrupt) = self.step(number);
                has_run |= retired.is_some();
                if retired.is_none() && interrupt.is_none() {
                    continue;
                }
                let context = &self.contexts[number];
                if watcher(number, retired.as_ref(), context, interrupt).is_break() {
                    break 'run;
                }
            }
            is_first = false;
            if !has_run {
                break;
            }
        }
        for (context, own) in self.contexts.iter_mut().zip(own_limits) {
            context.set_limit(own);
        }
    }
}
