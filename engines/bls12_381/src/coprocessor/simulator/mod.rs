// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instruction-set simulator: what the manual says, on the engine's own arithmetic.

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

/// The coprocessor: contexts that take turns, an instruction each.
///
/// The order in which contexts take turns is not part of the instruction set; that of one context's
/// instructions and interrupts is.
#[derive(Clone, Debug)]
pub struct Machine {
    contexts: Vec<Context>,
    has_extension: bool,
    windows: Vec<window::Staged>,
}

/// What [`Machine::run`] tells of each instruction: the context, what was done, and the context's
/// state behind it.
pub type Observer<'o> = &'o mut dyn FnMut(usize, &Retired, &Context);

/// What [`Machine::run_while`] tells of each step: the context, what was done unless there was no
/// instruction, the context's state behind it, and what was sent. It ends the run by
/// [`ControlFlow::Break`].
pub type Watcher<'w> =
    &'w mut dyn FnMut(usize, Option<&Retired>, &Context, Option<Interrupt>) -> ControlFlow<()>;

impl Machine {
    /// A coprocessor with the extension and as many contexts, from 1 to [`CONTEXTS`].
    pub fn new(contexts: usize) -> Self {
        let contexts = contexts.clamp(1, CONTEXTS);
        Self {
            contexts: vec![Context::default(); contexts],
            has_extension: true,
            windows: vec![window::Staged::default(); contexts],
        }
    }

    /// The published coprocessor: one context, without the extension.
    pub fn published() -> Self {
        Self { has_extension: false, ..Self::new(1) }
    }

    /// Whether it has the extension.
    pub fn has_extension(&self) -> bool {
        self.has_extension
    }

    /// The contexts.
    pub fn contexts(&self) -> &[Context] {
        &self.contexts
    }

    /// A context, to be loaded; none beyond those that there are.
    pub fn context_mut(&mut self, number: usize) -> Option<&mut Context> {
        self.contexts.get_mut(number)
    }

    /// Does one instruction of a context, where it is running: what was done, and what is sent.
    pub fn step(&mut self, number: usize) -> (Option<Retired>, Option<Interrupt>) {
        let Some(context) = self.contexts.get_mut(number) else { return (None, None) };
        if context.state() != State::Running {
            return (None, None);
        }
        let (retired, message) = context.step(self.has_extension);
        (retired, message.map(|message| Interrupt { context: number, message }))
    }

    /// Runs all contexts until each waits, has stopped or stands before a breakpoint; the first
    /// instruction of a context is done even there. A context that does `limit` instructions from
    /// its start on is stopped, whatever its own limit is.
    ///
    /// What is sent is kept: a caller who does not know the programs takes it by
    /// [`Self::run_while`].
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

    /// [`Self::run`] as long as the watcher wants. Contexts that are under way then are running
    /// still.
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
