// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plans of expressions, and their execution.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use halimede_ckks::circuit::{Input, Step};
use halimede_ckks::{Bound as Range, Ciphertext, DryServer, Expected, Plan};
use pyo3::prelude::*;

use super::callable::catching;
use super::ciphertext::CkksCiphertext;
use super::declared::{bound_of, Declared};
use super::errors::evaluation_error;
use super::expression::{CkksExpression, DEFAULT_BOUND};
use super::long;
use super::parameters::CkksParameters;
use super::programs::CkksPrograms;
use super::server::CkksServer;
use super::trace::CkksTrace;
use crate::errors::{type_error, value_error};

/// The properties of a future input that a plan depends on.
///
/// bound: the largest absolute value, or a pair, the ends of an interval of real numbers.
/// real: the values are real, as those of an array of real numbers.
/// length: the number of values; the largest possible by default.
/// level: the level; that of fresh ciphertexts by default.
#[pyclass(module = "halimede._native", frozen, eq)]
#[derive(Clone, Copy, PartialEq)]
pub struct CkksInput {
    range: Range,
    length: Option<usize>,
    level: Option<usize>,
}

#[pymethods]
impl CkksInput {
    #[new]
    #[pyo3(signature = (bound = None, *, real = true, length = None, level = None))]
    fn new(
        bound: Option<&Bound<'_, PyAny>>,
        real: bool,
        length: Option<usize>,
        level: Option<usize>,
    ) -> PyResult<Self> {
        let declared = Declared::new(bound)?.unwrap_or(Declared::Magnitude(DEFAULT_BOUND));
        Ok(Self { range: declared.range(real)?, length, level })
    }

    /// The ends of the interval of real values, or the largest absolute value of complex values.
    #[getter]
    fn bound<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bound_of(py, self.range)
    }

    /// The largest absolute value.
    #[getter]
    fn magnitude(&self) -> f64 {
        self.range.magnitude()
    }

    /// True for real values.
    #[getter]
    fn is_real(&self) -> bool {
        self.range.is_real()
    }

    /// The number of values; None for the largest possible.
    #[getter]
    fn length(&self) -> Option<usize> {
        self.length
    }

    /// The level; None for that of fresh ciphertexts.
    #[getter]
    fn level(&self) -> Option<usize> {
        self.level
    }

    fn __repr__(&self) -> String {
        let bound = match self.range.interval() {
            Some((low, high)) if low == -high => format!("{high}"),
            Some((low, high)) => format!("({low}, {high})"),
            None => format!("{}, real=False", self.range.magnitude()),
        };
        let length = self.length.map(|length| format!(", length={length}"));
        let level = self.level.map(|level| format!(", level={level}"));
        let [length, level] = [length, level].map(Option::unwrap_or_default);
        format!("Input({bound}{length}{level})")
    }
}

impl CkksInput {
    fn of(&self, name: &str, parameters: &CkksParameters) -> PyResult<Input> {
        let of = parameters.parameters();
        let (length, limit) = (self.length.unwrap_or(of.slots()), of.slots());
        if !(1..=limit).contains(&length) {
            let reason = format!("{name}: got a length of {length}, wanted 1 to {limit}");
            return Err(value_error(reason));
        }
        let (level, top) = (self.level.unwrap_or(of.fresh_level()), of.top());
        if level > top {
            let reason =
                format!("{name}: got level {level}, the highest of {} is {top}", of.name());
            return Err(value_error(reason));
        }
        Ok(Input { level, length, ..Input::fresh(of, self.range) })
    }
}

/// The expected level, scale, length and error of a plan's result, without its values.
#[pyclass(module = "halimede._native", frozen, eq)]
#[derive(Clone, Copy, PartialEq)]
pub struct CkksExpected {
    pub(super) expected: Expected,
}

#[pymethods]
impl CkksExpected {
    /// The standard deviation of the error of a value, for all values within their declared bounds.
    #[getter]
    fn error(&self) -> f64 {
        self.expected.error()
    }

    fn __repr__(&self) -> String {
        format!("<halimede.ckks.Expected, {:.1} bits>", -self.expected.error().log2())
    }
}

/// A plan: the steps that compute an expression.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksPlan {
    plan: Plan,
    parameters: CkksParameters,
}

#[pymethods]
impl CkksPlan {
    /// Plans for named inputs: ciphertexts or their descriptions.
    #[new]
    fn new(
        py: Python<'_>,
        expression: &Bound<'_, CkksExpression>,
        parameters: &Bound<'_, CkksParameters>,
        inputs: Vec<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        let of = parameters.get();
        let described = inputs.iter().map(|(name, given)| {
            let input = match (given.cast::<CkksCiphertext>(), given.cast::<CkksInput>()) {
                (Ok(sealed), _) => Input::from(sealed.get().of(of)?),
                (_, Ok(input)) => input.get().of(name, of)?,
                _ => {
                    let kind = given.get_type().name()?;
                    let wanted = "wanted a halimede.ckks.Ciphertext or Input";
                    return Err(type_error(format!("{name}: got {kind}, {wanted}")));
                }
            };
            Ok((name.clone(), input))
        });
        let described: BTreeMap<String, Input> = described.collect::<PyResult<_>>()?;
        let plan = expression.get().planned(py, |expression| {
            catching(|| Plan::new(expression, of.parameters(), &described), evaluation_error)
        })?;
        check_names(&plan, described.keys())?;
        Ok(Self { plan, parameters: of.clone() })
    }

    #[getter(parameters)]
    fn parameters_of(&self) -> CkksParameters {
        self.parameters.clone()
    }

    /// The inputs by name.
    #[getter]
    fn inputs(&self) -> BTreeMap<String, CkksInput> {
        let described = |input: &Input| {
            let range = input.estimate.bound;
            CkksInput { range, length: Some(input.length), level: Some(input.level) }
        };
        self.plan.inputs().iter().map(|(name, input)| (name.clone(), described(input))).collect()
    }

    /// The steps: the operation, the indices of its operands, its label, level, length and bound,
    /// and true for a bootstrap.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Vec<StepParts<'py>>> {
        self.plan.steps().iter().map(|step| parts(py, step)).collect()
    }

    /// The operations that need keys: products, conjugates, rotations, bootstraps of all vectors
    /// and of these numbers of slots.
    #[getter]
    fn operations(&self) -> (bool, bool, Vec<i64>, bool, Vec<usize>) {
        let of = self.plan.operations();
        (of.multiply, of.conjugate, of.rotations, of.bootstrap, of.bootstrap_slots)
    }

    /// The same operations by name, as in the plan's table.
    #[getter]
    fn keys(&self) -> Vec<String> {
        self.plan.keys()
    }

    #[getter]
    fn depth(&self) -> usize {
        self.plan.depth()
    }

    #[getter]
    fn bootstraps(&self) -> usize {
        self.plan.bootstraps()
    }

    #[getter]
    fn is_least(&self) -> bool {
        self.plan.is_least()
    }

    #[getter]
    fn level(&self) -> usize {
        self.plan.level()
    }

    /// Checks that a server has all keys.
    fn check(&self, server: &Bound<'_, CkksServer>) -> PyResult<()> {
        server.get().server.check_plan(&self.plan).map_err(evaluation_error)
    }

    /// Returns the expected result for these inputs and a server with these keys, without
    /// arithmetic.
    fn expected(
        &self,
        py: Python<'_>,
        server: &Bound<'_, CkksServer>,
        inputs: Vec<(String, Bound<'_, CkksCiphertext>)>,
        public_inputs: bool,
    ) -> PyResult<CkksExpected> {
        check_names(&self.plan, inputs.iter().map(|(name, _)| name))?;
        let parameters = self.parameters.parameters();
        let of = |(name, a): &(String, Bound<'_, CkksCiphertext>)| {
            let sealed = a.get().of(&self.parameters)?;
            let is_public = public_inputs && sealed.has_claimed_error();
            let sealed = match is_public {
                true => sealed.encrypted_by_public_key(parameters),
                false => sealed.clone(),
            };
            Ok((name.clone(), sealed))
        };
        let inputs = inputs.iter().map(of).collect::<PyResult<Vec<(String, Ciphertext)>>>()?;
        let given: Vec<(&str, &Ciphertext)> = inputs.iter().map(|(name, a)| (&**name, a)).collect();
        let server = server.get();
        let results =
            long(py, |_| DryServer::of(&server.server).results_of_plan(&self.plan, &given))?;
        let results = results.map_err(evaluation_error)?;
        let result = results.first().ok_or_else(|| value_error("the plan has no result"))?;
        Expected::of(result).map(|expected| CkksExpected { expected }).map_err(value_error)
    }

    /// Records the ring operations of the plan without arithmetic.
    fn trace(&self, py: Python<'_>, few_keys: bool) -> PyResult<CkksTrace> {
        let record = |_: &_| DryServer::for_plan(&self.plan, few_keys).record_plan(&self.plan);
        let (_, program) = long(py, record)?.map_err(evaluation_error)?;
        Ok(CkksTrace::new(program))
    }

    fn __str__(&self) -> String {
        self.plan.to_string()
    }
}

type StepParts<'py> = (String, Vec<usize>, Option<String>, usize, usize, Bound<'py, PyAny>, bool);

fn parts<'py>(py: Python<'py>, step: &Step) -> PyResult<StepParts<'py>> {
    let label = step.label().map(str::to_owned);
    let (level, length, is_bootstrap) = (step.level(), step.length(), step.is_bootstrap());
    let (what, operands) = (step.description(), step.operands().to_vec());
    Ok((what, operands, label, level, length, bound_of(py, step.bound())?, is_bootstrap))
}

/// Checks that every name is one of the plan's inputs, since another name is a mistake of the
/// caller.
fn check_names<'n>(plan: &Plan, names: impl IntoIterator<Item = &'n String>) -> PyResult<()> {
    for name in names {
        if !plan.inputs().contains_key(name) {
            let there = plan.inputs().keys().cloned().collect::<Vec<_>>().join(", ");
            let reason = format!("the expression has no input {name}; its inputs are: {there}");
            return Err(value_error(reason));
        }
    }
    Ok(())
}

/// Runs a plan on a server, by the processor's code or by a device's programs. Ctrl-C ends it
/// between two steps.
#[pyfunction]
pub fn ckks_run(
    py: Python<'_>,
    server: &Bound<'_, CkksServer>,
    plan: &Bound<'_, CkksPlan>,
    inputs: Vec<(String, Bound<'_, CkksCiphertext>)>,
    programs: Option<&Bound<'_, CkksPrograms>>,
) -> PyResult<CkksCiphertext> {
    let (server, plan) = (server.get(), &plan.get().plan);
    check_names(plan, inputs.iter().map(|(name, _)| name))?;
    let given = inputs.iter().map(|(name, a)| Ok((&**name, a.get().of(&server.parameters)?)));
    let given: Vec<(&str, &Ciphertext)> = given.collect::<PyResult<_>>()?;
    let programs = programs.map(Bound::get);
    programs.map_or(Ok(()), CkksPrograms::check)?;
    let result = long(py, |stop| {
        let go_on = |_| match stop.is_requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        match programs {
            Some(programs) => programs.run(plan, &given, go_on),
            None => server.server.run_plan_while(plan, &given, go_on).map_err(evaluation_error),
        }
    })??;
    Ok(CkksCiphertext::new(result, &server.parameters))
}
