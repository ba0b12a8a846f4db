// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sponge itself: start, absorb, squeeze, finish.

use halimede_arith::Field;

use super::{IoPattern, Operation, SpongeError, SpongeField};
use crate::instance::Instance;
use crate::state::Elements;

/// A sponge that follows its IO pattern; whatever departs from it is an error, after which the
/// sponge answers nothing more.
#[derive(Clone, Debug)]
pub struct Sponge<M: SpongeField> {
    instance: Instance,
    /// The rate's elements, in the order of use, and the capacity's one wherever the field has it.
    state: Elements<Field<M>>,
    pattern: IoPattern,
    /// The operation under way.
    position: usize,
    /// Elements of it that are done.
    done: u32,
    /// The rate's next element to add to.
    absorb_position: usize,
    /// The rate's next element to give out; the rate where a permutation is due.
    squeeze_position: usize,
    aborted: bool,
}

impl<M: SpongeField> Sponge<M> {
    /// A sponge of the instance's permutation: the rate is its arity, the capacity is one element
    /// and holds the tag of pattern and domain; the rest is zero.
    ///
    /// # Errors
    /// [`SpongeError::Instance`] where the instance is of another field.
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

    /// Absorbs these elements. They may be a part of an operation of the pattern; the next call
    /// goes on where this one ends.
    ///
    /// # Errors
    /// [`SpongeError::Violated`] where the pattern has no such operation here, and
    /// [`SpongeError::Aborted`] after such an error.
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

    /// Squeezes into all of `output`, which may be a part of an operation of the pattern.
    ///
    /// # Errors
    /// As [`Self::absorb`]; `output` is then left as it was.
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

    /// Squeezes this many elements.
    ///
    /// # Errors
    /// As [`Self::absorb`].
    pub fn squeeze(&mut self, count: u32) -> Result<Vec<Field<M>>, SpongeError> {
        let count = count as usize;
        // Looked at before any memory is asked for.
        self.check(count, |wanted| matches!(wanted, Operation::Squeeze(_)), "squeeze")?;
        let mut output = vec![Field::ZERO; count];
        self.squeeze_into(&mut output)?;
        Ok(output)
    }

    /// Ends the protocol.
    ///
    /// # Errors
    /// [`SpongeError::Unfinished`] where the pattern goes on.
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

    /// Refuses what the pattern does not have here, and ends the sponge then.
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

    /// Goes on in the pattern by this many elements.
    fn advance(
        &mut self,
        count: usize,
        is_this: impl Fn(Operation) -> bool,
        verb: &'static str,
    ) -> Result<(), SpongeError> {
        self.check(count, is_this, verb)?;
        // The check has made sure that the sum is at most the operation's count.
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
