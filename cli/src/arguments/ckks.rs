// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands and options of `halimede ckks`.

mod compile;
mod network;
mod party;
mod party_renewal;
mod sent;
mod sharing;
mod train;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use halimede_ckks::params::SecurityLevel;

pub use self::compile::CompileOptions;
use self::compile::COMPILE_HELP;
use self::network::RUN_HELP;
pub use self::network::{NetworkOptions, RunOptions};
pub use self::party::{
    AnswerOptions, PartyCollectOptions, PartyCommand, PartyDecryptOptions, PartyFinishOptions,
    PartyFinishSwitchOptions, PartyJoinOptions, PartyKeysOptions, PartyReceiveOptions,
    PartyReplyOptions, PartySessionOptions, PartyShareOptions, PartySwitchOptions,
};
pub use self::party_renewal::{
    PartyFinishRefreshOptions, PartyHandOverOptions, PartyRefreshOptions, PartyReshareOptions,
    PartyRetireOptions,
};
pub use self::sent::Sent;
pub use self::sharing::SharingOptions;
pub use self::train::TrainLogisticOptions;
use self::train::TRAIN_LOGISTIC_HELP;
use super::DeviceOptions;

const PARAMS_HELP: &str = "\
Without a name, lists the parameter sets. With --slots, --depth and the other options, chooses the \
smallest ring, then the fewest digits, that satisfy them with 128 bits of security against \
classical computers. --security selects 192 or 256 bits (with bootstraps, 128 is the maximum). \
--out writes the parameters to a file for `keygen --params FILE`.

Examples:
  halimede ckks params
  halimede ckks params n15 --json
  halimede ckks params --slots 4096 --depth 6 --precision 20 --out mine.params
  halimede ckks params --slots 4096 --depth 4 --security 192 --out mine.params
  halimede ckks params --depth 9 --precision 18 --bootstrapping
  halimede ckks params --depth 6 --precision 40 --bootstrapping";

const KEYGEN_HELP: &str = "\
The command writes three files to the folder: secret.key, which stays with its owner; public.key, \
with which anybody can encrypt; and, if any operations are requested, evaluation.keys, with which \
a server can compute. The secret key has the mode 0600, and an existing one is never overwritten. \
Keys for fewer levels are smaller: with --level, evaluation.keys serves ciphertexts up to that \
level only.

--for makes the keys that `eval` needs for an expression of fresh ciphertexts of real values. The \
necessary keys can depend on the bound and the number of values of the ciphertexts: give them by \
--bound and --values.

Examples:
  halimede ckks keygen --params n15 --dir keys --multiply --conjugate --rotations 1,2,4
  halimede ckks keygen --params n15 --dir few-levels --multiply --level 6
  halimede ckks keygen --params mine.params --dir mine --multiply
  halimede ckks keygen --params n14 --dir one --for '3*x*y + rot(x, 1)'
  halimede ckks keygen --params n15 --dir other --for 'sigmoid(x - mean(x))' --bound 0,4 --values 1000";

const ENCRYPT_HELP: &str = "\
The input is CSV with one value per line, `re` or `re,im`, or a one-dimensional NPY file (name \
ending in .npy) of float64 or complex128; `-` is CSV on standard input. A CSV file with one column \
and an NPY file of float64 are vectors of real numbers. A vector may have any length up to the \
number of slots. A ciphertext made with the secret key is half as large as one made with the \
public key.

--bound declares the range of the values: no absolute value exceeds B, or all values are real and \
between LOW and HIGH. The default is 1. Everybody can read the bound, the length and whether the \
values are real in the ciphertext; apart from the encrypted values, nothing else in it depends on \
them. So declare the range that values can have, not the range that they happen to have. Values \
beyond the bound are refused. `eval` follows bounds through the computation: a tight bound makes \
functions cheaper, and a large one needs room that low levels do not have.

Examples:
  halimede ckks encrypt --key keys/secret.key --in x.csv --bound 4 --out x.ct
  halimede ckks encrypt --key keys/secret.key --in temperatures.csv --bound -40,60 --out t.ct
  halimede ckks encrypt --public keys/public.key --in y.npy --out y.ct --bound 2.5 --level 9";

const EVAL_HELP: &str = "\
An expression consists of + - * / ^ and parentheses, numbers (2, 0.5e-3, 1.5i), the names of \
ciphertexts, and functions:
  x^3                 a power; the exponent is a positive whole number; -x^2 is -(x^2)
  x/2                 division by a number
  rot(x, k)           x rotated to the left by k values
  sum(x), mean(x)     the sum or mean of all values, at every position
  sum(x, n)           at every position, the sum of n values from there on
  conj(x), square(x)  the complex conjugate; x*x
  inv(x)              1/x
  exp, log, sin, cos, tanh, sigmoid, sqrt
Functions of real values, inv among them, are approximated by polynomials with an error of at most \
--error, on the interval that follows from the declared bounds, or on a given one: \
sigmoid(x, -8, 8).

If you know tighter limits than the declared bounds imply, state them: within(x, low, high) says \
that all values are real and between the two numbers, bound(x, b) that no absolute value exceeds \
b. If a statement is false, the result is meaningless.

A product consumes one level, or none if it is a product by a whole number up to 1024; x^n \
consumes log2(n) levels; a polynomial of degree d consumes log2(d) levels, and one more for its \
interval. For vectors whose length is not a power of two, rot and sum consume one level. If levels \
run out and the parameters support bootstrapping, values are bootstrapped, as rarely as possible; \
bootstrap(x) always bootstraps. Bootstraps are more precise if values are known to be small. \
--plan prints the steps with the bounds that follow from the declared ones. Only the keys that the \
expression needs are loaded into memory.

Instead of an expression, give a program of the compiler HEIR, as a file of MLIR whose name ends in \
.mlir. NAME is then the name of an argument of its function, and FILE the ciphertext, or for an \
unencrypted argument a vector as CSV or .npy, whose largest absolute value becomes its public \
bound.

On a card, keys and tables are sent once and stay in the memory of the card while there is room; \
every result is read back. Evaluation keys, ciphertexts and plaintexts are sent to the card, but \
nothing secret. --device sim starts the simulated card with a memory, for rings of N = 2^10. Other \
rings, or more keys at once than its 8 MiB hold, are an error; with --fallback the processor \
computes instead.

Examples:
  halimede ckks eval --keys keys/evaluation.keys '3*x*y + rot(x, 1)' x=x.ct y=y.ct --out z.ct
  halimede ckks eval --keys keys/evaluation.keys 'x^2/4 - conj(x) + 0.5i' x=x.ct --out z.ct
  halimede ckks eval --keys keys/evaluation.keys 'sqrt(within(x - y, 0.1, 1))' x=x.ct y=y.ct --out z.ct
  halimede ckks eval --keys keys/evaluation.keys 'sigmoid(x*y, -10, 10)' x=x.ct y=y.ct --out z.ct
  halimede ckks eval --plan 'tanh(x*y) + mean(x)' x=x.ct y=y.ct
  halimede ckks eval --keys keys/evaluation.keys program.mlir arg0=x.ct arg1=w.csv --out z.ct
  halimede ckks eval --keys keys/evaluation.keys 'x - y' x=x.ct y=y.ct --out z.ct --device sim --fallback";

const DECRYPT_HELP: &str = "\
Without --share, values are only for the owner of the key: anyone who sees them and has the \
ciphertexts can learn the secret key, even from rounded values. --share adds noise that hides the \
key, with --security bits of security for all --queries decryptions under this key that others \
ever see. The command cannot count the decryptions of other runs. The noise costs \
SECURITY/2 + log2(12 * QUERIES * N)/2 bits of precision; the command prints how many are left.

The size of the noise follows from the error of the ciphertext. The error of a fresh ciphertext is \
known. The error of a result is not: the estimate in its file is only a claim of the party that \
computed it. So for a result, give either --expression, with the inputs as they were encrypted and \
the evaluation keys, from which the command derives the error (this takes no time), or \
--error-at-least, a bound that you know otherwise, for the number of values that the result has. \
After a sign or a comparison, the bound must cover all values, also those below the threshold. See \
SECURITY.md of the engine.

Examples:
  halimede ckks decrypt --key keys/secret.key z.ct --real --count 5
  halimede ckks decrypt --key keys/secret.key x.ct --share --security 8 --queries 4 --out shared.npy
  halimede ckks eval --keys keys/evaluation.keys 'x*x' x=x.ct --out w.ct
  halimede ckks decrypt --key keys/secret.key w.ct --share --security 8 --queries 4 --expression 'x*x' --input x=x.ct --keys keys/evaluation.keys
  halimede ckks decrypt --key keys/secret.key w.ct --share --security 8 --queries 4 --error-at-least 2^-20";

const INSPECT_HELP: &str = "\
Reads the whole file and verifies its checksums; prints nothing secret. For a ciphertext, prints \
what everybody can read in it: the identifier of its secret key, the number of values and their \
declared bound, the level, scale and precision. For keys, prints the identifier of their secret \
key.

Examples:
  halimede ckks inspect x.ct
  halimede ckks inspect keys/evaluation.keys --json";

const BOOTSTRAP_DEMO_HELP: &str = "\
Makes keys, encrypts values at the lowest level, bootstraps and decrypts them, and compares the \
result with the values. n16-boot needs a minute and about 7 GB of memory (3 GB with --few-keys), \
which the command checks first; n10-boot-insecure needs much less of both. RAYON_NUM_THREADS sets \
the number of threads.

Examples:
  halimede ckks bootstrap-demo --repeat 3
  halimede ckks bootstrap-demo --params n16-boot-precise
  halimede ckks bootstrap-demo --slots 8 --few-keys
  halimede ckks bootstrap-demo --params n10-boot-insecure --seed 7 --json
  halimede ckks bootstrap-demo --in x.npy";

/// `halimede ckks …`
#[derive(Subcommand, Debug)]
pub enum CkksCommand {
    /// List the parameter sets, show one, or choose parameters for given needs.
    #[command(after_help = PARAMS_HELP)]
    Params(CkksParamsOptions),
    /// Make a secret key, a public key and evaluation keys.
    #[command(after_help = KEYGEN_HELP)]
    Keygen(KeygenOptions),
    /// Encrypt a vector.
    #[command(after_help = ENCRYPT_HELP)]
    Encrypt(EncryptOptions),
    /// Compute on encrypted vectors.
    #[command(after_help = EVAL_HELP)]
    Eval(EvalOptions),
    /// Decrypt a vector.
    #[command(after_help = DECRYPT_HELP)]
    Decrypt(DecryptOptions),
    /// Describe a file, and check that it is intact.
    #[command(after_help = INSPECT_HELP)]
    Inspect(InspectOptions),
    /// Run a neural network from an ONNX file on encrypted inputs.
    #[command(after_help = RUN_HELP)]
    Run(RunOptions),
    /// Compile a neural network for `halimede serve`.
    #[command(after_help = COMPILE_HELP)]
    Compile(CompileOptions),
    /// Train a logistic regression on encrypted samples.
    #[command(after_help = TRAIN_LOGISTIC_HELP)]
    TrainLogistic(TrainLogisticOptions),
    /// Share a secret key among several parties, who exchange files.
    #[command(subcommand)]
    Party(PartyCommand),
    /// Bootstrap a vector, and print the time, the precision and the memory that it took.
    #[command(after_help = BOOTSTRAP_DEMO_HELP)]
    BootstrapDemo(BootstrapDemoOptions),
}

/// `halimede ckks params`
#[derive(Args, Debug)]
pub struct CkksParamsOptions {
    /// The parameter set to show; if absent, all are listed.
    #[arg(value_name = "NAME", conflicts_with_all = ["slots", "depth", "precision", "bootstrapping", "digits", "security"])]
    pub name: Option<String>,
    /// The minimum number of values in a ciphertext.
    #[arg(long, value_name = "N")]
    pub slots: Option<usize>,
    /// The multiplicative depth; with --bootstrapping, between two bootstraps.
    #[arg(long, value_name = "LEVELS")]
    pub depth: Option<usize>,
    /// The number of correct fractional bits after these products.
    #[arg(long, value_name = "BITS")]
    pub precision: Option<f64>,
    /// Add the levels for a bootstrap.
    #[arg(long)]
    pub bootstrapping: bool,
    /// The number of digits of a key switch; by default the fewest that are secure.
    #[arg(long, value_name = "N")]
    pub digits: Option<usize>,
    /// Bits of security, 128, 192 or 256 [default: 128]
    #[arg(long, value_name = "BITS", value_parser = security_level)]
    pub security: Option<SecurityLevel>,
    /// Write the parameters to a file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl CkksParamsOptions {
    /// Returns `true` if parameters are described rather than named.
    pub fn is_described(&self) -> bool {
        let numbers = [self.slots, self.depth, self.digits];
        let is_exact = self.precision.is_some() || self.security.is_some();
        numbers.iter().any(Option::is_some) || is_exact || self.bootstrapping
    }
}

/// Parses a level of security from its number of bits.
fn security_level(bits: &str) -> Result<SecurityLevel, String> {
    let level = bits.parse().ok().and_then(SecurityLevel::from_bits);
    level.ok_or_else(|| "expected 128, 192 or 256 bits of security".to_owned())
}

/// `halimede ckks keygen`
#[derive(Args, Debug)]
pub struct KeygenOptions {
    /// The name of a parameter set (see `params`), or a file written by `params --out`.
    #[arg(long, value_name = "NAME|FILE")]
    pub params: PathBuf,
    /// A new or an empty folder for the keys. Either all keys appear in it, or none. Existing keys
    /// are not overwritten.
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// Make the key for products of ciphertexts.
    #[arg(long)]
    pub multiply: bool,
    /// Make the key for conjugates.
    #[arg(long)]
    pub conjugate: bool,
    /// Make keys to rotate vectors to the left by these numbers of slots (to the right, if
    /// negative).
    #[arg(long, value_name = "STEPS", value_delimiter = ',', allow_negative_numbers = true)]
    pub rotations: Vec<i64>,
    /// Make the keys for this expression of `eval`.
    #[arg(long = "for", value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub expressions: Vec<String>,
    /// With --for: the declared bound of the ciphertexts, as for `encrypt` [default: 1]
    #[arg(long, value_name = "B|LOW,HIGH", allow_hyphen_values = true, requires = "expressions")]
    pub bound: Option<BoundOption>,
    /// With --for: the number of values of a ciphertext; by default the number of slots.
    #[arg(long, value_name = "N", value_parser = slots, requires = "expressions")]
    pub values: Option<usize>,
    /// Make the keys for bootstraps; the parameter set must have levels for them.
    #[arg(long)]
    pub bootstrap: bool,
    /// Make the keys to bootstrap vectors of these numbers of slots, in less time and with fewer
    /// keys.
    #[arg(long, value_name = "SLOTS", value_delimiter = ',', value_parser = slots)]
    pub bootstrap_slots: Vec<usize>,
    /// Make fewer keys for bootstraps: 2.5 times less memory, up to 1.5 times the time.
    #[arg(long)]
    pub few_keys: bool,
    /// The highest level of the ciphertexts; by default the level of fresh ciphertexts.
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<usize>,
}

/// `halimede ckks encrypt`
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("by").required(true).args(["key", "public"])))]
pub struct EncryptOptions {
    /// Encrypt with this secret key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Encrypt with this public key.
    #[arg(long, value_name = "FILE")]
    pub public: Option<PathBuf>,
    /// The values, CSV or NPY.
    #[arg(long = "in", value_name = "FILE|-")]
    pub input: PathBuf,
    /// The bound: no absolute value exceeds B, or all values are real and between LOW and HIGH.
    /// Everybody can read it. [default: 1]
    #[arg(long, value_name = "B|LOW,HIGH", allow_hyphen_values = true)]
    pub bound: Option<BoundOption>,
    /// The file of the ciphertext.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The level of the ciphertext; by default the highest below those of a bootstrap.
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<usize>,
}

/// `halimede ckks eval`
#[derive(Args, Debug)]
pub struct EvalOptions {
    /// The evaluation keys.
    #[arg(long, value_name = "FILE", required_unless_present = "plan")]
    pub keys: Option<PathBuf>,
    /// The expression to compute, or a file of MLIR, whose name ends in .mlir.
    #[arg(value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub expression: String,
    /// The ciphertexts, with their names in the expression.
    #[arg(value_name = "NAME=FILE", required = true)]
    pub inputs: Vec<NamedFile>,
    /// The file of the result.
    #[arg(long, value_name = "FILE", required_unless_present = "plan")]
    pub out: Option<PathBuf>,
    /// Print the steps, their levels and the keys that they need, and compute nothing.
    #[arg(long)]
    pub plan: bool,
    /// The maximum difference between a function and its polynomial.
    #[arg(long, value_name = "E", default_value = "1e-4")]
    pub error: f64,
    /// The function of an MLIR file; by default the only public one.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// The result of an MLIR function that has several, from 0.
    #[arg(long, value_name = "N")]
    pub result: Option<usize>,
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede ckks decrypt`
#[derive(Args, Debug)]
pub struct DecryptOptions {
    /// The secret key.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// The ciphertext.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The file of the values, NPY if its name ends in .npy; by default CSV on standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print only the real parts.
    #[arg(long)]
    pub real: bool,
    /// The number of values to print; by default all.
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// The statement of security for values that others may see.
    #[command(flatten)]
    pub sharing: SharingOptions,
    /// With --share: the expression that `eval` computed, from which the error follows.
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, requires_all = ["share", "keys", "inputs"])]
    pub expression: Option<String>,
    /// With --expression: an input of the expression, as it was encrypted.
    #[arg(long = "input", value_name = "NAME=FILE", requires = "expression")]
    pub inputs: Vec<NamedFile>,
    /// With --expression: the evaluation keys that the expression was computed with.
    #[arg(long, value_name = "FILE", requires = "expression")]
    pub keys: Option<PathBuf>,
    /// With --expression: the maximum difference between a function and its polynomial.
    #[arg(long, value_name = "E", default_value = "1e-4", requires = "expression")]
    pub error: f64,
    /// With --expression: inputs without a seed were encrypted with the public key.
    #[arg(long, requires = "expression")]
    pub public_inputs: bool,
}

/// `halimede ckks inspect`
#[derive(Args, Debug)]
pub struct InspectOptions {
    /// A file of parameters, keys or a ciphertext.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// `halimede ckks bootstrap-demo`
#[derive(Args, Debug)]
pub struct BootstrapDemoOptions {
    /// A parameter set with levels for a bootstrap.
    #[arg(long, value_name = "NAME", default_value = "n16-boot")]
    pub params: String,
    /// The seed of the random values. Keys are always random.
    #[arg(long, value_name = "N", conflicts_with = "input")]
    pub seed: Option<u64>,
    /// The number of random values; by default all slots. Fewer values need less time and fewer
    /// keys.
    #[arg(long, value_name = "N", conflicts_with = "input", value_parser = slots)]
    pub slots: Option<usize>,
    /// Use fewer keys: 2.5 times less memory, up to 1.5 times the time.
    #[arg(long)]
    pub few_keys: bool,
    /// A file of values (CSV or NPY, absolute values up to 1) instead of random ones.
    #[arg(long = "in", value_name = "FILE|-")]
    pub input: Option<PathBuf>,
    /// The number of bootstraps.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// The declared range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoundOption {
    /// The largest absolute value.
    Magnitude(f64),
    /// The smallest and the largest of real values.
    Interval(f64, f64),
}

impl FromStr for BoundOption {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number =
            |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        match text.split_once(',') {
            None => number(text).filter(|most| *most >= 0.0).map(Self::Magnitude),
            Some((low, high)) => {
                let ends = number(low).zip(number(high)).filter(|(low, high)| low <= high);
                ends.map(|(low, high)| Self::Interval(low, high))
            }
        }
        .ok_or("expected one number (the largest absolute value), or LOW,HIGH with LOW ≤ HIGH")
    }
}

/// Parses the number of values of a vector.
fn slots(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number from 1 on".to_owned()),
        Ok(slots) => Ok(slots),
    }
}

/// A file, and its name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Letters, digits and `_`, not beginning with a digit.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for NamedFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').ok_or("expected NAME=FILE")?;
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name =
            name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
        if !is_name || path.is_empty() {
            return Err(format!(
                "{text:?}: expected NAME=FILE with a name of letters, digits and `_`"
            ));
        }
        Ok(Self { name: name.to_owned(), path: path.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        let interval = |low, high| Ok(BoundOption::Interval(low, high));
        assert_eq!("2.5".parse(), Ok(BoundOption::Magnitude(2.5)));
        assert_eq!("0".parse(), Ok(BoundOption::Magnitude(0.0)));
        assert_eq!("-4e1, 60".parse(), interval(-40.0, 60.0));
        assert_eq!("3,3".parse(), interval(3.0, 3.0));
        for text in ["", "-1", "x", "inf", "NaN", "1,", ",1", "2,1", "1,2,3", "-inf,1", "0,NaN"] {
            assert!(text.parse::<BoundOption>().is_err(), "{text}");
        }
    }

    #[test]
    fn named_files() {
        let named = |name: &str, path: &str| Ok(NamedFile { name: name.into(), path: path.into() });
        assert_eq!("x=a.ct".parse(), named("x", "a.ct"));
        assert_eq!("_x1=/a=b".parse(), named("_x1", "/a=b"));
        for text in ["", "x", "=a", "x=", "1x=a", "x-y=a", "ä=a", " x=a"] {
            assert!(text.parse::<NamedFile>().is_err(), "{text}");
        }
    }
}
