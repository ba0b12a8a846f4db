// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tasks: the work of a program on single limbs, which kernels run.

/// The number of a computed limb. Each is computed once.
pub(super) type Slot = u32;

/// N residues modulo one prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Limb {
    /// A computed limb.
    Slot(Slot),
    /// A limb of an external value.
    External {
        /// The index of the external value.
        external: u32,
        /// The index of the limb in the value's basis.
        limb: u32,
    },
}

/// An operation on each residue, by its number in `kernels/ckks/pointwise.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Pointwise {
    Copy = 0,
    Zero = 1,
    Add = 2,
    Subtract = 3,
    Negate = 4,
    Multiply = 5,
    MultiplyAdd = 6,
    Scale = 7,
    SubtractScale = 8,
    AddNumber = 9,
}

/// Work after a sum of products or a forward transform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Epilogue {
    /// The limb to subtract, and the factor of the difference. Only for transforms.
    pub subtract: Option<(Limb, u32)>,
    /// The limb to add.
    pub added: Option<Limb>,
    /// The exponent of the automorphism, or 1.
    pub exponent: u64,
}

impl Epilogue {
    /// No work.
    pub const NOTHING: Self = Self { subtract: None, added: None, exponent: 1 };

    /// Returns `true` if there is no work.
    pub fn is_empty(&self) -> bool {
        *self == Self::NOTHING
    }
}

/// A source of a conversion.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub limb: Limb,
    pub prime: u16,
    /// (B/b)⁻¹ times the factor before the conversion.
    pub ready: u32,
    /// `true` if the limb has been multiplied by `ready`.
    pub is_ready: bool,
}

/// A target of a conversion.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub slot: Slot,
    pub prime: u16,
    /// −B times the factor after the conversion, in Montgomery form.
    pub overflow: u32,
    /// For each source, B/b times the factor, in Montgomery form.
    pub factors: Vec<u32>,
}

/// Work whose result is one limb, or several for a conversion.
#[derive(Clone, Debug)]
pub(super) enum Work {
    Forward {
        from: Limb,
        epilogue: Epilogue,
    },
    /// The result is multiplied by a number.
    Inverse {
        from: Limb,
        factor: u32,
    },
    /// The numbers are a factor, or those for the lower and the upper half of the residues.
    Pointwise {
        operation: Pointwise,
        operands: Vec<Limb>,
        numbers: [u32; 2],
    },
    /// The second factor of each product repeats each word 2^run times.
    Products {
        terms: Vec<(Limb, Limb, u32)>,
        epilogue: Epilogue,
    },
    /// Factors in Montgomery form, for the lower and the upper half of the residues.
    Combine {
        terms: Vec<(Limb, [u32; 2])>,
        epilogue: Epilogue,
    },
    Convert {
        sources: Vec<Source>,
        targets: Vec<Target>,
    },
    Permute {
        from: Limb,
        exponent: u64,
    },
}

/// The kind of a task. The tasks of a launch have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Forward,
    Inverse,
    Pointwise,
    Products,
    Combine,
    Convert,
    Permute,
}

/// Work modulo a prime, given by its position.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub work: Work,
    /// The prime. That of the first target for a conversion.
    pub prime: u16,
    /// The result. Unused for a conversion, whose targets have slots.
    pub output: Slot,
}

/// The tasks of a program, in an order in which they can run.
#[derive(Clone, Debug)]
pub(super) struct Tasks {
    pub tasks: Vec<Task>,
    /// The number of slots.
    pub slots: u32,
    /// The limbs of each output of the program.
    pub outputs: Vec<Vec<Limb>>,
}

impl Task {
    /// The kind.
    pub fn kind(&self) -> Kind {
        match self.work {
            Work::Forward { .. } => Kind::Forward,
            Work::Inverse { .. } => Kind::Inverse,
            Work::Pointwise { .. } => Kind::Pointwise,
            Work::Products { .. } => Kind::Products,
            Work::Combine { .. } => Kind::Combine,
            Work::Convert { .. } => Kind::Convert,
            Work::Permute { .. } => Kind::Permute,
        }
    }

    /// The limbs that the task reads.
    pub fn inputs(&self) -> Vec<Limb> {
        let after = |epilogue: &Epilogue| {
            epilogue.subtract.map(|(limb, _)| limb).into_iter().chain(epilogue.added)
        };
        match &self.work {
            Work::Forward { from, epilogue } => {
                std::iter::once(*from).chain(after(epilogue)).collect()
            }
            Work::Inverse { from, .. } | Work::Permute { from, .. } => vec![*from],
            Work::Pointwise { operands, .. } => operands.clone(),
            Work::Products { terms, epilogue } => {
                terms.iter().flat_map(|(a, b, _)| [*a, *b]).chain(after(epilogue)).collect()
            }
            Work::Combine { terms, epilogue } => {
                terms.iter().map(|(a, _)| *a).chain(after(epilogue)).collect()
            }
            Work::Convert { sources, .. } => sources.iter().map(|source| source.limb).collect(),
        }
    }

    /// The slots that the task computes.
    pub fn outputs(&self) -> Vec<Slot> {
        match &self.work {
            Work::Convert { targets, .. } => targets.iter().map(|target| target.slot).collect(),
            _ => vec![self.output],
        }
    }

    /// Returns `true` for a transform that needs another limb between its passes, since its second
    /// pass writes elsewhere than it reads.
    pub fn needs_limb_between(&self) -> bool {
        matches!(&self.work, Work::Forward { epilogue, .. } if epilogue.exponent != 1)
    }

    /// The epilogue of a task that has one.
    pub fn epilogue_mut(&mut self) -> Option<&mut Epilogue> {
        match &mut self.work {
            Work::Forward { epilogue, .. }
            | Work::Products { epilogue, .. }
            | Work::Combine { epilogue, .. } => Some(epilogue),
            _ => None,
        }
    }
}

impl Tasks {
    /// The number of uses of each slot, by tasks and in outputs.
    pub fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.slots as usize];
        let inputs = self.tasks.iter().flat_map(Task::inputs);
        for limb in inputs.chain(self.outputs.iter().flatten().copied()) {
            if let Limb::Slot(slot) = limb {
                uses[slot as usize] += 1;
            }
        }
        uses
    }
}
