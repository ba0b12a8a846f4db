// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sponge itself: start, absorb, squeeze, finish.

use halimede_arith::Field;

use super::{IoPattern, Operation, SpongeError, SpongeField};
use crate::instance::Instance;
use crate::state::Elements;

/// A sponge that follows its IO pattern. A deviation is an error, after which the sponge is
/// unusable.
#[derive(Clone, Debug)]
pub struct Sponge<M: SpongeField> {
    instance: Instance,
    /// The elements of the rate in the order of use, and the capacity at the field's capacity
    /// index.
    state: Elements<Field<M>>,
    pattern: IoPattern,
    /// The index of the current operation.
    position: usize,
    /// The elements of the current operation that are done.
    done: u32,
    /// The next element of the rate to add to.
    absorb_position: usize,
    /// The next element of the rate to squeeze; equal to the rate if a permutation is due.
    squeeze_position: usize,
    aborted: bool,
}

impl<M: SpongeField> Sponge<M> {
    /// Starts a sponge over the instance's permutation. The rate is its arity; the capacity is one
    /// element and holds the tag of pattern and domain; the rest is zero.
    ///
    /// # Errors
    /// [`SpongeError::Instance`] if the instance belongs to another field.
    pub fn start(instance: Instance, pattern: IoPattern, domain: u32) -> Result<Self, SpongeError> {
        if !M::has(instance) {
            return Err(SpongeError::Instance { instance, field: M::NAME });
        }
        let tag = pattern.tag(domain);
        // 2¹²⁸ is below every modulus of 251 bits or more.
        let tag = Field::from((tag >> 64) as u64) * two_to_64() + Field::from(tag as u64);
        let mut state: Elements<Field<M>> = Elements::with_capacity(instance.width());
        state.resize(instance.width(), Field::ZERO);
        state[M::capacity_index(instance)] = tag;
        Ok(Self {
            instance,
            state,
            pattern,
            position: 0,
            done: 0,
            absorb_position: 0,
            squeeze_position: instance.arity(),
            aborted: false,
        })
    }

    /// Absorbs these elements. They may be part of an operation of the pattern; the next call
    /// continues that operation.
    ///
    /// # Errors
    /// [`SpongeError::Violated`] if the pattern has no such operation at this point, and
    /// [`SpongeError::Aborted`] after an earlier violation.
    pub fn absorb(&mut self, elements: &[Field<M>]) -> Result<(), SpongeError> {
        self.advance(elements.len(), |wanted| matches!(wanted, Operation::Absorb(_)), "absorb")?;
        for element in elements {
            if self.absorb_position == self.instance.arity() {
                self.permute();
            }
            let index = M::rate_index(self.absorb_position);
            self.state[index] += *element;
            self.absorb_position += 1;
        }
        if !elements.is_empty() {
            self.squeeze_position = self.instance.arity();
        }
        Ok(())
    }

    /// Fills all of `output` by squeezing; this may be part of an operation of the pattern.
    ///
    /// # Errors
    /// As for [`Self::absorb`]; `output` is then unchanged.
    pub fn squeeze_into(&mut self, output: &mut [Field<M>]) -> Result<(), SpongeError> {
        self.advance(output.len(), |wanted| matches!(wanted, Operation::Squeeze(_)), "squeeze")?;
        for element in output {
            if self.squeeze_position == self.instance.arity() {
                self.permute();
            }
            *element = self.state[M::rate_index(self.squeeze_position)];
            self.squeeze_position += 1;
        }
        Ok(())
    }

    /// Squeezes `count` elements.
    ///
    /// # Errors
    /// As for [`Self::absorb`].
    pub fn squeeze(&mut self, count: u32) -> Result<Vec<Field<M>>, SpongeError> {
        let count = count as usize;
        // Checked before memory is allocated.
        self.check(count, |wanted| matches!(wanted, Operation::Squeeze(_)), "squeeze")?;
        let mut output = vec![Field::ZERO; count];
        self.squeeze_into(&mut output)?;
        Ok(output)
    }

    /// Ends the protocol.
    ///
    /// # Errors
    /// [`SpongeError::Unfinished`] if the pattern is not complete.
    pub fn finish(self) -> Result<(), SpongeError> {
        if self.aborted {
            return Err(SpongeError::Aborted);
        }
        match self.pattern.aggregated().get(self.position) {
            Some(&next) => {
                Err(SpongeError::Unfinished { position: self.position, next, done: self.done })
            }
            None => Ok(()),
        }
    }

    /// Checks that the pattern allows this operation here; otherwise aborts the sponge.
    fn check(
        &mut self,
        count: usize,
        is_this: impl Fn(Operation) -> bool,
        verb: &'static str,
    ) -> Result<(), SpongeError> {
        if self.aborted {
            return Err(SpongeError::Aborted);
        }
        let wanted = self.pattern.aggregated().get(self.position).copied();
        let left =
            wanted.filter(|wanted| is_this(*wanted)).map_or(0, |wanted| wanted.count() - self.done);
        if count <= left as usize {
            return Ok(());
        }
        self.aborted = true;
        self.state.fill(Field::ZERO);
        let (position, done) = (self.position, self.done);
        Err(SpongeError::Violated { verb, count, position, wanted, done })
    }

    /// Advances in the pattern by `count` elements.
    fn advance(
        &mut self,
        count: usize,
        is_this: impl Fn(Operation) -> bool,
        verb: &'static str,
    ) -> Result<(), SpongeError> {
        self.check(count, is_this, verb)?;
        // `check` guarantees that the sum is at most the operation's count.
        self.done += count as u32;
        if self.pattern.aggregated().get(self.position).map(|wanted| wanted.count())
            == Some(self.done)
        {
            self.position += 1;
            self.done = 0;
        }
        Ok(())
    }

    fn permute(&mut self) {
        M::permute(self.instance, &mut self.state);
        self.absorb_position = 0;
        self.squeeze_position = 0;
    }
}

fn two_to_64<M: SpongeField>() -> Field<M> {
    Field::from(1 << 32).square()
}
