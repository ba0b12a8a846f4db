// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Neural networks on encrypted inputs, compiled from ONNX files.

use std::path::PathBuf;
use std::sync::Arc;

use halimede_ckks_nn::compile::ExactRelu;
use halimede_ckks_nn::onnx::MOST_BYTES;
use halimede_ckks_nn::run::Progress;
use halimede_ckks_nn::{
    read_onnx, read_onnx_output, read_residual_network, Calibration, Graph, Label, Model,
    NetworkError, NetworkServer, Options, Output,
};
use halimede_files::read_limited;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::ckks::{long, network_error, CkksParameters, CkksPrograms, CkksServer};
use crate::errors::{type_error, value_error};
use crate::interface::NnInterface;
use crate::listener::Listener;
use crate::sealed::NnSealed;

/// A network compiled for parameters.
#[pyclass(module = "halimede._native", frozen)]
pub struct NnModel {
    model: Model,
    parameters: CkksParameters,
}

/// Name, layers, activation, levels after the matrix and after the activation, ciphertexts,
/// diagonals, rotations, products, bootstraps, used fraction of the range, mean and largest error,
/// key switches and share of the time.
type LayerParts = (
    String,
    Vec<String>,
    String,
    (usize, usize),
    (usize, usize, usize, usize, usize),
    (Option<f64>, f64, f64),
    (usize, f64),
);

/// The values in plaintext, the largest difference, the tolerance, the label, the label in
/// plaintext, the reason of a disagreement.
type AgreementParts<'py> =
    (Bound<'py, PyArray1<f64>>, f64, Option<f64>, Option<NnLabel>, Option<NnLabel>, Option<String>);

/// A label: `int` or `str`.
#[derive(IntoPyObject, FromPyObject)]
pub enum NnLabel {
    Integer(i64),
    Text(String),
}

impl From<Label> for NnLabel {
    fn from(label: Label) -> Self {
        match label {
            Label::Integer(number) => Self::Integer(number),
            Label::Text(text) => Self::Text(text),
        }
    }
}

impl From<NnLabel> for Label {
    fn from(label: NnLabel) -> Self {
        match label {
            NnLabel::Integer(number) => Self::Integer(number),
            NnLabel::Text(text) => Self::Text(text),
        }
    }
}

#[pymethods]
impl NnModel {
    /// source: an ONNX file as bytes, its path, or the folder of a residual network's parameters.
    /// output: the name of the file's value that is the output, or `None`.
    /// samples: `float64[count][values]`.
    #[new]
    #[pyo3(signature = (source, output, samples, parameters, degree, exact_relu, guard, few_keys, matrix_bytes, input_ciphertexts, batch))]
    #[expect(clippy::too_many_arguments, reason = "the options of one call of Python")]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        output: Option<&str>,
        samples: PyReadonlyArray2<'_, f64>,
        parameters: &Bound<'_, CkksParameters>,
        degree: usize,
        exact_relu: Option<(f64, f64)>,
        guard: bool,
        few_keys: bool,
        matrix_bytes: usize,
        input_ciphertexts: usize,
        batch: usize,
    ) -> PyResult<Self> {
        let graph = graph_of(source, output)?;
        let samples: Vec<Vec<f64>> =
            samples.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        let exact_relu = exact_relu.map(|(threshold, error)| ExactRelu { threshold, error });
        let options =
            Options { degree, exact_relu, guard, few_keys, matrix_bytes, input_ciphertexts, batch };
        let parameters = parameters.get().clone();
        let compiled = long(py, |_| {
            let calibration = Calibration::new(&graph, &samples)?;
            Model::compile(&graph, &calibration, parameters.parameters(), &options)
        })?;
        Ok(Self { model: compiled.map_err(value_error)?, parameters })
    }

    /// The data that a client needs.
    #[getter]
    fn interface(&self) -> NnInterface {
        NnInterface::new(self.model.interface().clone(), &self.parameters)
    }

    fn report(&self) -> String {
        self.model.report().to_string()
    }

    #[getter]
    fn layers(&self) -> Vec<LayerParts> {
        let layers = self.model.report().layers.into_iter();
        let parts = layers.map(|of| {
            let counts = (of.ciphertexts, of.diagonals, of.rotations, of.products, of.bootstraps);
            let errors = (of.used, of.mean_error, of.largest_error);
            let costs = (of.key_switches, of.share);
            (of.name, of.layers, of.activation, of.levels, counts, errors, costs)
        });
        parts.collect()
    }

    /// Slots, levels of the longest path, bootstraps.
    #[getter]
    fn counts(&self) -> (usize, usize, usize) {
        let of = self.model.report();
        (of.slots, of.depth, of.bootstraps)
    }

    /// Returns the values in plaintext, with exact activations or with their polynomials.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        input: PyReadonlyArray1<'_, f64>,
        is_approximate: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let input = input.as_array().to_vec();
        let values = long(py, |_| match is_approximate {
            true => self.model.approximate(&input),
            false => self.model.graph().evaluate(&input),
        })?;
        Ok(PyArray1::from_vec(py, values.map_err(value_error)?))
    }

    /// Compares encrypted values with those in plaintext. Returns the values in plaintext, the
    /// largest difference, the tolerance, both labels, and the reason of a disagreement.
    #[expect(clippy::too_many_arguments, reason = "the parts of an output")]
    fn compare<'py>(
        &self,
        py: Python<'py>,
        input: PyReadonlyArray1<'_, f64>,
        values: PyReadonlyArray1<'_, f64>,
        scores: PyReadonlyArray1<'_, f64>,
        labels: Vec<NnLabel>,
        error: f64,
        tolerance: Option<f64>,
    ) -> PyResult<AgreementParts<'py>> {
        if let Some(wrong) = tolerance.filter(|most| !(most.is_finite() && *most >= 0.0)) {
            return Err(value_error(format!(
                "tolerance: got {wrong}, wanted a finite number from 0 on"
            )));
        }
        let (input, values) = (input.as_array().to_vec(), values.as_array().to_vec());
        let (scores, labels) = (scores.as_array().to_vec(), labels.into_iter().map(Label::from));
        let output = Output { values, labels: labels.collect(), scores, error, guard: None };
        let found = long(py, |_| self.model.compare(&input, &output, tolerance))?;
        let found = found.map_err(value_error)?;
        let plaintext = PyArray1::from_vec(py, found.plaintext);
        let (largest, tolerance) = (found.largest_difference, found.tolerance);
        let disagreement = found.disagreement.map(|of| of.to_string());
        let [label, plaintext_label] =
            [found.label, found.plaintext_label].map(|label| label.map(NnLabel::from));
        Ok((plaintext, largest, tolerance, label, plaintext_label, disagreement))
    }

    /// Checks that a server has all keys.
    fn check(&self, server: &Bound<'_, CkksServer>) -> PyResult<()> {
        let server = Arc::clone(server.get().shared());
        NetworkServer::with_server(&self.model, server).map(drop).map_err(value_error)
    }

    /// Runs the network. Calls `progress` after each step with the numbers of finished and of all
    /// steps and the layer's name or `None`; an exception in it ends the run, as Ctrl-C does.
    /// `checkpoint` is a folder of checkpoints, which runs on the device of `programs` do not
    /// leave.
    #[pyo3(signature = (server, input, progress, checkpoint, programs))]
    fn run(
        &self,
        py: Python<'_>,
        server: &Bound<'_, CkksServer>,
        input: &Bound<'_, NnSealed>,
        progress: Option<Py<PyAny>>,
        checkpoint: Option<PathBuf>,
        programs: Option<&Bound<'_, CkksPrograms>>,
    ) -> PyResult<NnSealed> {
        let sealed = input.get().sealed(&self.parameters)?;
        let server = Arc::clone(server.get().shared());
        let network = NetworkServer::with_server(&self.model, server);
        let network = match checkpoint {
            None => network,
            Some(folder) => network.and_then(|network| network.keeping_checkpoints(&folder)),
        };
        let mut network = network.map_err(value_error)?;
        if let Some(programs) = programs {
            network = network.on_programs(programs.get().shared()?);
        }
        let mut listener = Listener::new(progress);
        let result = long(py, |stop| {
            network.run(sealed, |Progress { done, steps, layer }| {
                listener.tell(stop, (done, steps, layer))
            })
        })?;
        listener.outcome()?;
        Ok(NnSealed::new(result.map_err(network_error)?, &self.parameters))
    }
}

impl NnModel {
    /// Returns the network if it has these parameters.
    ///
    /// # Errors
    /// As [`CkksParameters::check`].
    pub fn model(&self, parameters: &CkksParameters) -> PyResult<&Model> {
        parameters.check("the network", &self.parameters)?;
        Ok(&self.model)
    }
}

/// Reads the network of an ONNX file, up to a named output, or of a folder.
fn graph_of(source: &Bound<'_, PyAny>, output: Option<&str>) -> PyResult<Graph> {
    let read = |bytes: &[u8]| match output {
        None => read_onnx(bytes),
        Some(output) => read_onnx_output(bytes, output),
    };
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return read(bytes.as_bytes()).map_err(value_error);
    }
    let Ok(path) = source.extract::<PathBuf>() else {
        let kind = source.get_type().name()?;
        return Err(type_error(format!("source: got {kind}, wanted a path, bytes or a module")));
    };
    let of_file = |error: NetworkError| value_error(format!("{}: {error}", path.display()));
    if path.is_dir() {
        if output.is_some() {
            return Err(value_error("output: a folder of parameters has no named values"));
        }
        return read_residual_network(&path).map_err(value_error);
    }
    let bytes = read_limited(&path, MOST_BYTES as u64)?;
    read(&bytes).map_err(of_file)
}
