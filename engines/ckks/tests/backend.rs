// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An unavailable backend: no parameters exist, so that no computation uses another backend. This
//! is a separate program, since a process reads the environment only once.
#![allow(clippy::unwrap_used, clippy::panic)]

use halimede_arith::backend::{BackendError, VARIABLE};
use halimede_ckks::params::{ParametersBuilder, ParametersError};
use halimede_ckks::Parameters;

#[test]
fn no_parameters_are_made_for_a_backend_that_is_not_here() {
    std::env::set_var(VARIABLE, "avx1024");
    for name in Parameters::presets() {
        match Parameters::preset(name) {
            Err(ParametersError::Backend(BackendError::Environment(_))) => {}
            other => panic!("{name}: {other:?}"),
        }
    }
    let error = ParametersBuilder::new().slots(16).build_insecure(10).unwrap_err();
    assert!(error.to_string().contains("HALIMEDE_BACKEND: no backend is called \"avx1024\""));
}
