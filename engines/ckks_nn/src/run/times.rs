// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The times of the layers of a run.

use std::collections::HashMap;

use super::server::Progress;
use crate::compile::Model;

/// The time that each layer of a network takes, measured from the progress of a run.
///
/// A step without a name belongs to the layer of the next step with one. Steps of different layers
/// may alternate, and are attributed in this order.
///
/// ```no_run
/// # use std::{ops::ControlFlow, time::Instant};
/// # use halimede_ckks_nn::{run::LayerTimes, Ciphertexts, Model, NetworkServer};
/// # fn of(model: &Model, server: &NetworkServer<'_>, input: &Ciphertexts) {
/// let (mut times, start) = (LayerTimes::new(model), Instant::now());
/// let result = server.run(input, |progress| {
///     times.add(&progress, start.elapsed().as_secs_f64());
///     ControlFlow::Continue(())
/// });
/// for (layer, seconds) in model.report().layers.iter().zip(times.seconds()) {
///     println!("{seconds:.2} s {}", layer.name);
/// }
/// # }
/// ```
pub struct LayerTimes {
    /// The layer of each label of a step.
    layers: HashMap<String, usize>,
    seconds: Vec<f64>,
    /// The time of the last step, and the time of steps that belong to no layer yet.
    last_s: f64,
    pending_s: f64,
}

impl LayerTimes {
    /// Returns times of 0 for the layers of a network.
    pub fn new(model: &Model) -> Self {
        let layers: HashMap<String, usize> = model.layer_labels().into_iter().collect();
        let count = layers.values().map(|layer| layer + 1).max().unwrap_or(0);
        Self { layers, seconds: vec![0.0; count], last_s: 0.0, pending_s: 0.0 }
    }

    /// Adds a step that has just ended. `now_s` is the time since the beginning of the run in
    /// seconds, of any clock.
    pub fn add(&mut self, progress: &Progress<'_>, now_s: f64) {
        self.pending_s += now_s - self.last_s;
        self.last_s = now_s;
        let layer = progress.layer.and_then(|label| self.layers.get(label));
        if let Some(seconds) = layer.and_then(|layer| self.seconds.get_mut(*layer)) {
            *seconds += std::mem::take(&mut self.pending_s);
        }
    }

    /// Returns the seconds of each layer, in the order of the
    /// [report](crate::compile::Report::layers).
    pub fn seconds(&self) -> &[f64] {
        &self.seconds
    }
}
