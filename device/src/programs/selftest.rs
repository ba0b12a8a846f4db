// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The self-test of CKKS programs.

use std::fmt::Display;
use std::sync::Arc;

use halimede_ckks::executor::{ProgramPlace, ProgramServer};
use halimede_ckks::{Bound, Client, Operations, Parameters, Values};

use crate::check::{check, SelfTestCheck};
use crate::device::Device;

/// The parameters: a small ring, which every card supports.
const PRESET: &str = "n10-insecure";
/// The number of values of a ciphertext.
const LENGTH: usize = 512;
/// A number of standard deviations of the estimate that no error of 512 values exceeds.
const WORST: f64 = 8.0;

/// Checks the device's own place for programs, if it has one: a product and a rotation under fresh
/// keys, decrypted.
pub(crate) fn checks(device: &Device) -> Option<SelfTestCheck> {
    let place = device.executors().programs()?.place();
    let name = format!("{} {PRESET}", super::ENGINE);
    Some(check(name, || product_and_rotation(place)))
}

fn product_and_rotation(place: &dyn ProgramPlace) -> Result<String, String> {
    let parameters = Parameters::preset(PRESET).map_err(words)?;
    let mut client = Client::new(&parameters).map_err(words)?;
    let operations = Operations { multiply: true, rotations: vec![1], ..Operations::default() };
    let server = Arc::new(client.server(&operations));
    let values = |step: usize| -> Vec<f64> {
        (0..LENGTH).map(|slot| ((slot * step) % 101) as f64 / 51.0 - 1.0).collect()
    };
    let [x, y] = [37, 58].map(values);
    let place = ProgramServer::new(server, place.executor(&parameters).map_err(words)?);
    let mut encrypt = |values: &[f64]| {
        let values = Values::from(values).bounded(Bound::between(-1.0, 1.0));
        let ciphertext = client.encrypt(values).map_err(words)?;
        place.upload(&ciphertext).map_err(words)
    };
    let product = place.mul(&encrypt(&x)?, &encrypt(&y)?).map_err(words)?;
    let rotated = place.rotate(&product, 1).map_err(words)?;
    let answer = place.download(&rotated).map_err(words)?;
    let found = client.decrypt(&answer).map_err(words)?;
    let bound = WORST * answer.estimate().error;
    let expected = (0..LENGTH).map(|slot| x[(slot + 1) % LENGTH] * y[(slot + 1) % LENGTH]);
    let wrong = expected.zip(&found).filter(|(right, found)| (right - found.re).abs() > bound);
    match (wrong.count(), found.len()) {
        (0, LENGTH) => Ok(format!("a product and a rotation of {LENGTH} values")),
        (wrong, length) => Err(format!("{wrong} of {length} values are wrong")),
    }
}

fn words(error: impl Display) -> String {
    error.to_string()
}
