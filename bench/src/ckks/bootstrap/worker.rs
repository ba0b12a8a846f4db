// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Our side of the comparison of bootstraps: a process that answers the same lines as Lattigo's,
//! see `peers/lattigo/bootstrap.go`.

use std::io::{BufRead, Write};
use std::time::Instant;

use halimede_arith::memory::peak_bytes;
use halimede_ckks::{Ciphertext, Client, Complex, Difference, Operations, Parameters, Server};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Real and imaginary parts lie in (−BOUND, BOUND), as on the other side.
const BOUND: f64 = 0.7;

/// Keys and a ciphertext of the lowest level.
struct Worker {
    client: Client,
    server: Server,
    values: Vec<Complex>,
    sealed: Ciphertext,
    /// The result of the last bootstrap.
    last: Option<Ciphertext>,
}

/// Makes keys for a preset, prints `ready`, log₂ QP, the levels after a bootstrap and the digits,
/// and answers lines until the end of the input.
///
/// # Errors
/// If the preset has no bootstrap, and for an unknown line.
pub fn serve(preset: &str, input: impl BufRead, mut output: impl Write) -> Result<(), String> {
    let mut worker = Worker::new(preset)?;
    let parameters = worker.client.parameters();
    let (bits, digits) = (parameters.modulus_bits(), parameters.shape().chain().digits);
    let levels = parameters.fresh_level();
    let mut say = |line: String| writeln!(output, "{line}").and_then(|()| output.flush());
    say(format!("ready {bits:.1} {levels} {digits}")).map_err(|error| error.to_string())?;
    for line in input.lines() {
        let line = line.map_err(|error| error.to_string())?;
        say(worker.answer(&line)?).map_err(|error| error.to_string())?;
    }
    Ok(())
}

impl Worker {
    fn new(preset: &str) -> Result<Self, String> {
        let parameters = Parameters::preset(preset).map_err(|error| error.to_string())?;
        let mut client = Client::new(&parameters).map_err(|error| error.to_string())?;
        let server = client.server(&Operations { bootstrap: true, ..Operations::default() });
        server.prepare_bootstrap().map_err(|error| error.to_string())?;
        let mut rng = ChaCha8Rng::seed_from_u64(22);
        let mut part = || rng.gen_range(-BOUND..BOUND);
        let values: Vec<Complex> =
            (0..parameters.slots()).map(|_| Complex::new(part(), part())).collect();
        let sealed = client.encrypt_at(&values, 0).map_err(|error| error.to_string())?;
        Ok(Self { client, server, values, sealed, last: None })
    }

    fn answer(&mut self, line: &str) -> Result<String, String> {
        match line {
            "bootstrap" => {
                let start = Instant::now();
                let result = self.server.bootstrap(&self.sealed);
                let time = start.elapsed();
                self.last = Some(result.map_err(|error| error.to_string())?);
                Ok(time.as_nanos().to_string())
            }
            "precision" => {
                let last = self.last.as_ref().ok_or("nothing has been bootstrapped yet")?;
                let values = self.client.decrypt(last).map_err(|error| error.to_string())?;
                let off = Difference::between(&values, &self.values);
                Ok(format!("{:.3} {:.3}", off.mean.log2(), off.largest.log2()))
            }
            "memory" => {
                let peak =
                    peak_bytes().ok_or("the system does not say how much memory was held")?;
                Ok(peak.to_string())
            }
            "keys" => {
                let bytes = self.server.keys().file_bytes();
                Ok(bytes.map_err(|error| error.to_string())?.to_string())
            }
            _ => Err(format!("not bootstrap, precision, memory or keys: {line:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::process::numbers;
    use super::*;

    fn answers(lines: &str) -> (Vec<String>, Result<(), String>) {
        let mut output = Vec::new();
        let result = serve("n10-boot-insecure", lines.as_bytes(), &mut output);
        let lines = String::from_utf8(output).unwrap().lines().map(str::to_owned).collect();
        (lines, result)
    }

    #[test]
    fn each_line_has_its_answer() {
        let (answers, result) = answers("bootstrap\nbootstrap\nprecision\nmemory\nkeys\n");
        result.unwrap();
        let [bits, levels, digits] = numbers(answers[0].strip_prefix("ready ").unwrap()).unwrap();
        assert!(bits > 1000.0 && (levels, digits) == (3.0, 4.0), "{}", answers[0]);
        let number = |at: usize| numbers::<1>(&answers[at]).unwrap()[0];
        assert!((1e5..1e11).contains(&number(1)) && (1e5..1e11).contains(&number(2)));
        let [mean, largest] = numbers(&answers[3]).unwrap();
        assert!(-40.0 < mean && mean < largest && largest < -22.0, "{mean}, {largest}");
        assert!(number(4) > number(5) && number(5) > 1e6, "{answers:?}");
        assert_eq!(answers.len(), 6);
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (lines, reason) in
            [("precision\n", "nothing has been bootstrapped"), ("boot\n", "not bootstrap, pre")]
        {
            let (answers, result) = answers(lines);
            assert_eq!(answers.len(), 1);
            assert!(result.unwrap_err().contains(reason));
        }
        let error = serve("n10-insecure", &b""[..], Vec::new()).unwrap_err();
        assert!(error.contains("no levels for a bootstrap"), "{error}");
    }
}
