// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constraints of a circuit as sparse rows: ⟨a, x⟩·⟨b, x⟩ = ⟨c, x⟩ for the variables x.

use halimede_arith::Fr;
use rayon::prelude::*;

use super::{Assignment, Density, ProveError, Secrets};

/// The maximum numbers of variables, of constraints, and of entries of one side.
const MOST: usize = u32::MAX as usize;

/// The number of rows that a thread evaluates at a time.
const PART: usize = 1 << 10;

/// One side of a constraint: variables, each with its coefficient.
pub type Row<'a> = &'a [(u32, Fr)];

/// Why rows are not the constraints of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintsError {
    /// There are more inputs than variables.
    #[error("{inputs} public inputs and the constant 1 do not fit into {variables} variables")]
    Inputs {
        /// The number of public inputs.
        inputs: usize,
        /// The number of variables, the constant included.
        variables: usize,
    },
    /// A row has a variable that does not exist.
    #[error("constraint {constraint} has variable {variable}; there are {variables}")]
    Variable {
        /// The index of the constraint, from 0.
        constraint: usize,
        /// The index of the variable, from 0.
        variable: u32,
        /// The number of variables, the constant included.
        variables: usize,
    },
    /// There are too many constraints, variables or entries.
    #[error("the circuit has more than {MOST} variables, constraints or entries")]
    TooMany,
}

/// Sparse rows, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Matrix {
    /// The end of each row.
    ends: Vec<u32>,
    variables: Vec<u32>,
    coefficients: Vec<Fr>,
}

/// An entry of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub row: u32,
    pub variable: u32,
    pub coefficient: Fr,
}

impl Matrix {
    /// Sorts entries by their rows.
    fn of_entries(rows: usize, entries: &[Entry]) -> Self {
        let mut ends = vec![0u32; rows];
        entries.iter().for_each(|entry| ends[entry.row as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // The beginning of the row, which moves to its end as the row is filled.
            (*end, sum) = (sum, sum + *end);
        }
        let mut variables = vec![0; entries.len()];
        let mut coefficients = vec![Fr::ZERO; entries.len()];
        for entry in entries {
            let end = &mut ends[entry.row as usize];
            variables[*end as usize] = entry.variable;
            coefficients[*end as usize] = entry.coefficient;
            *end += 1;
        }
        Self { ends, variables, coefficients }
    }

    fn push(&mut self, row: Row<'_>) {
        for (variable, coefficient) in row.iter().filter(|(_, coefficient)| !coefficient.is_zero())
        {
            self.variables.push(*variable);
            self.coefficients.push(*coefficient);
        }
        self.ends.push(self.variables.len() as u32);
    }

    /// Returns ⟨row, x⟩ of a row.
    fn value(&self, row: usize, x: &[Fr]) -> Fr {
        let start = row.checked_sub(1).map_or(0, |row| self.ends[row] as usize);
        let entries = start..self.ends[row] as usize;
        let rows = self.variables[entries.clone()].iter().zip(&self.coefficients[entries]);
        let products = rows.map(|(variable, coefficient)| {
            let value = x[*variable as usize];
            match *coefficient == Fr::ONE {
                true => value,
                false => value * *coefficient,
            }
        });
        products.sum()
    }

    /// Returns the values of all rows.
    fn values(&self, x: &[Fr]) -> Secrets {
        let mut values = Secrets::default();
        values.resize(self.ends.len());
        values.par_chunks_mut(PART).enumerate().for_each(|(part, values)| {
            for (row, value) in values.iter_mut().enumerate() {
                *value = self.value(part * PART + row, x);
            }
        });
        values
    }

    /// Returns, for each variable, `true` if a row has it.
    fn density(&self, variables: usize) -> Vec<bool> {
        let mut density = vec![false; variables];
        self.variables.iter().for_each(|variable| density[*variable as usize] = true);
        density
    }
}

/// The constraints of a circuit. Variable 0 is the constant 1, the public inputs follow, and then
/// the auxiliary variables. The constraints of inputs, which [`Assignment`] describes, are not
/// among the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    inputs: usize,
    variables: usize,
    a: Matrix,
    b: Matrix,
    /// `None` if each c is a·b.
    c: Option<Matrix>,
}

impl Constraints {
    /// Creates a circuit without constraints. `variables` includes the constant and the public
    /// inputs.
    ///
    /// # Errors
    /// [`ConstraintsError`].
    pub fn new(inputs: usize, variables: usize) -> Result<Self, ConstraintsError> {
        if inputs >= variables {
            return Err(ConstraintsError::Inputs { inputs, variables });
        }
        if variables > MOST {
            return Err(ConstraintsError::TooMany);
        }
        let c = Some(Matrix::default());
        Ok(Self { inputs, variables, a: Matrix::default(), b: Matrix::default(), c })
    }

    /// Creates the constraints of entries of a and b. Each c is a·b, so that constraints hold for
    /// every witness, and only the final check of a proof finds a wrong one.
    pub(super) fn of_entries(
        inputs: usize,
        variables: usize,
        rows: usize,
        [a, b]: [Vec<Entry>; 2],
    ) -> Result<Self, ConstraintsError> {
        let empty = Self::new(inputs, variables)?;
        if rows.max(a.len()).max(b.len()) > MOST {
            return Err(ConstraintsError::TooMany);
        }
        if let Some(entry) = a.iter().chain(&b).find(|entry| entry.variable as usize >= variables) {
            return Err(ConstraintsError::Variable {
                constraint: entry.row as usize,
                variable: entry.variable,
                variables,
            });
        }
        Ok(Self {
            a: Matrix::of_entries(rows, &a),
            b: Matrix::of_entries(rows, &b),
            c: None,
            ..empty
        })
    }

    /// Appends the constraint a·b = c.
    ///
    /// # Errors
    /// [`ConstraintsError`].
    pub fn push(&mut self, a: Row<'_>, b: Row<'_>, c: Row<'_>) -> Result<(), ConstraintsError> {
        let (constraint, variables) = (self.len(), self.variables);
        if let Some((variable, _)) =
            [a, b, c].into_iter().flatten().find(|(variable, _)| *variable as usize >= variables)
        {
            return Err(ConstraintsError::Variable { constraint, variable: *variable, variables });
        }
        let entries = |matrix: &Matrix, row: Row<'_>| matrix.variables.len() + row.len();
        let c_entries = self.c.as_ref().map_or(0, |matrix| entries(matrix, c));
        if entries(&self.a, a).max(entries(&self.b, b)).max(c_entries) > MOST || constraint >= MOST
        {
            return Err(ConstraintsError::TooMany);
        }
        self.a.push(a);
        self.b.push(b);
        if let Some(matrix) = &mut self.c {
            matrix.push(c);
        }
        Ok(())
    }

    /// Returns the number of constraints, without those of the inputs.
    pub fn len(&self) -> usize {
        self.a.ends.len()
    }

    /// Returns `true` without constraints.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of public inputs.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of variables, the constant and the public inputs included.
    pub const fn variables(&self) -> usize {
        self.variables
    }

    /// Evaluates the constraints for a witness: the values of all variables, the first of them 1.
    ///
    /// # Errors
    /// [`ProveError`].
    pub fn assign(&self, witness: &Secrets) -> Result<Assignment, ProveError> {
        self.check_length(witness)?;
        let inputs = self.inputs + 1;
        let mut in_b = self.b.density(self.variables);
        let b_aux = in_b.split_off(inputs);
        let a_aux = self.a.density(self.variables).split_off(inputs);
        self.assign_with(witness, Density { a_aux, b_inputs: in_b, b_aux })
    }

    fn check_length(&self, witness: &Secrets) -> Result<(), ProveError> {
        let (expected, got) = (self.variables, witness.len());
        match expected == got {
            true => Ok(()),
            false => Err(ProveError::Shape { name: "the witness", expected, got }),
        }
    }

    /// As [`Self::assign`], for a key whose lists have points for these variables.
    pub(super) fn assign_with(
        &self,
        witness: &Secrets,
        density: Density,
    ) -> Result<Assignment, ProveError> {
        self.check_length(witness)?;
        let (a, b) = (self.a.values(witness), self.b.values(witness));
        let c = match &self.c {
            Some(c) => c.values(witness),
            None => {
                let mut c = a.clone();
                c.iter_mut().zip(b.iter()).for_each(|(c, b)| *c *= *b);
                c
            }
        };
        let part = |range: std::ops::Range<usize>| {
            let mut part = Secrets::with_capacity(range.len());
            witness[range].iter().for_each(|value| part.push(*value));
            part
        };
        let inputs = self.inputs + 1;
        Assignment::new(part(0..inputs), part(inputs..witness.len()), [a, b, c], density)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x·y = z, and z·(z + 2) = w, with the public input w.
    fn squares() -> Constraints {
        let one = Fr::ONE;
        let mut constraints = Constraints::new(1, 5).unwrap();
        constraints.push(&[(2, one)], &[(3, one)], &[(4, one)]).unwrap();
        let z_and_two = [(4, one), (0, Fr::from(2)), (3, Fr::ZERO)];
        constraints.push(&[(4, one)], &z_and_two, &[(1, one)]).unwrap();
        constraints
    }

    fn witness(x: u64, y: u64, w: u64) -> Secrets {
        Secrets::from([1, w, x, y, x * y].map(Fr::from).to_vec())
    }

    #[test]
    fn a_witness_is_evaluated() {
        let constraints = squares();
        assert_eq!((constraints.len(), constraints.inputs(), constraints.variables()), (2, 1, 5));
        let assignment = constraints.assign(&witness(3, 5, 15 * 17)).unwrap();
        assert_eq!(assignment.public_inputs(), [Fr::from(255)]);
        assert_eq!((assignment.constraints(), assignment.auxiliary()), (4, 3));
        let density = Density {
            a_aux: vec![true, false, true],
            b_inputs: vec![true, false],
            b_aux: vec![false, true, true],
        };
        assert_eq!(assignment.density, density);
        let sides = [&assignment.a, &assignment.b, &assignment.c].map(|side| side.to_vec());
        let expected = [[3, 15, 1, 255], [5, 17, 0, 0], [15, 255, 0, 0]];
        assert_eq!(sides, expected.map(|side| side.map(Fr::from).to_vec()));
    }

    #[test]
    fn wrong_witnesses_are_refused() {
        let constraints = squares();
        let refused = |witness| constraints.assign(&witness).map(drop).unwrap_err();
        assert_eq!(refused(witness(3, 5, 256)), ProveError::Unsatisfied { constraint: 1 });
        let mut other = witness(3, 5, 255);
        other[4] += Fr::ONE;
        assert_eq!(refused(other), ProveError::Unsatisfied { constraint: 0 });
        let mut other = witness(0, 0, 0);
        other[0] = Fr::from(2);
        assert_eq!(refused(other), ProveError::FirstInput);
        let mut other = witness(3, 5, 255);
        other.push(Fr::ZERO);
        let shape = ProveError::Shape { name: "the witness", expected: 5, got: 6 };
        assert_eq!(refused(other), shape);
    }

    #[test]
    fn impossible_rows_are_refused() {
        assert_eq!(
            Constraints::new(3, 3),
            Err(ConstraintsError::Inputs { inputs: 3, variables: 3 })
        );
        assert_eq!(Constraints::new(0, MOST + 1), Err(ConstraintsError::TooMany));
        let mut constraints = squares();
        let error = ConstraintsError::Variable { constraint: 2, variable: 5, variables: 5 };
        assert_eq!(constraints.push(&[], &[], &[(5, Fr::ONE)]), Err(error));
        assert_eq!(constraints, squares());
    }
}
