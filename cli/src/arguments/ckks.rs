// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of CKKS.

mod network;
mod sharing;
mod train;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use halimede_ckks::params::SecurityLevel;

pub use self::network::RunOptions;
use self::network::RUN_HELP;
pub use self::sharing::SharingOptions;
pub use self::train::TrainLogisticOptions;
use self::train::TRAIN_LOGISTIC_HELP;
use super::DeviceOptions;

const PARAMS_HELP: &str = "\
Without a name the parameter sets are listed. What is asked for by --slots, --depth and the rest \
gets the smallest ring, then the fewest digits, that have 128 bits of security against classical \
computers, or 192 or 256 where --security asks for them; with bootstraps there are 128 at most. \
--out writes it to a file that `keygen --params FILE` takes.

Examples:
  halimede ckks params
  halimede ckks params n15 --json
  halimede ckks params --slots 4096 --depth 6 --precision 20 --out mine.params
  halimede ckks params --slots 4096 --depth 4 --security 192 --out mine.params
  halimede ckks params --depth 9 --precision 18 --bootstrapping
  halimede ckks params --depth 6 --precision 40 --bootstrapping";

const KEYGEN_HELP: &str = "\
Written to the folder are secret.key, which stays with its owner, public.key, with which anybody \
can encrypt, and, where operations are asked for, evaluation.keys, with which a server can \
compute. The secret key has the mode 0600, and one that is there is never written over. Keys for \
fewer levels are smaller: --level cuts evaluation.keys to what ciphertexts up to that level need.

--for makes the keys that `eval` needs for an expression of fresh ciphertexts of real values. \
--bound and --values say what they are encrypted with and how many they are: which keys are needed \
can depend on both.

Examples:
  halimede ckks keygen --params n15 --dir keys --multiply --conjugate --rotations 1,2,4
  halimede ckks keygen --params n15 --dir few-levels --multiply --level 6
  halimede ckks keygen --params mine.params --dir mine --multiply
  halimede ckks keygen --params n14 --dir one --for '3*x*y + rot(x, 1)'
  halimede ckks keygen --params n15 --dir other --for 'sigmoid(x - mean(x))' --bound 0,4 --values 1000";

const ENCRYPT_HELP: &str = "\
Values come as CSV, one a line, `re` or `re,im`, or as a one-dimensional NPY file (names ending in \
.npy) of float64 or complex128; `-` is CSV on standard input. A file without a second column, and \
one of float64, is a vector of real numbers, whatever the values are. A vector may have any length \
up to the number of slots. What the secret key encrypts is half as large as what the public key \
does.

--bound declares where values lie: no absolute value exceeds B, or all real values lie from LOW to \
HIGH. It is 1 where nothing is said. The bound, the length and whether values are real stand in \
the ciphertext, where everybody can read them; nothing else in it depends on values but what is \
encrypted. So declare what values can be, not what they happen to be. Values beyond the bound are \
refused. `eval` follows bounds through the computation: a tight one makes functions cheaper, and a \
large one takes room that low levels do not have.

Examples:
  halimede ckks encrypt --key keys/secret.key --in x.csv --bound 4 --out x.ct
  halimede ckks encrypt --key keys/secret.key --in temperatures.csv --bound -40,60 --out t.ct
  halimede ckks encrypt --public keys/public.key --in y.npy --out y.ct --bound 2.5 --level 9";

const EVAL_HELP: &str = "\
The expression has + - * / ^ and parentheses, numbers (2, 0.5e-3, 1.5i), and the names of \
ciphertexts. x^3 is a power by a positive whole number, and -x^2 is -(x^2); / divides by numbers, \
and inv(x, low, high) is 1/x of a ciphertext. rot(x, k) rotates x to the left by k values, sum(x) \
and mean(x) are of all values, in each place, sum(x, n) adds up n values from each on, conj(x) is \
the complex conjugate, square(x) is x*x. exp, log, sin, cos, tanh, sigmoid, sqrt and inv of real \
values are polynomials within --error of the function, from the least to the largest that values \
can be by the bounds that were declared, or between two numbers: sigmoid(x, -8, 8).

Where values are known to lie closer together than their bounds tell, within(x, low, high) states \
between which numbers real values lie, and bound(x, b) states that no absolute value exceeds b. If \
a statement is false, the result may be anything.

A product takes a level, but by whole numbers up to 1024 none; x^n takes the logarithm of n; a \
polynomial of degree d takes the logarithm of d, and one for the bounds. For vectors whose length \
is no power of two, rot and sum take one. Where levels do not suffice and the parameters have \
those of a bootstrap, values are bootstrapped in between, as seldom as possible; bootstrap(x) does \
so in any case. That is more precise where values are known to be small. --plan prints what would \
be done, with the bounds that follow from those declared. Only those keys are kept in memory that \
the expression needs.

On a card, keys and tables are sent once and stay in its memory, as far as there is room; every \
result comes back. Evaluation keys, ciphertexts and plaintexts go there, and nothing secret. \
--device sim starts the simulated card with a memory, for rings of N = 2^10: another one, or more \
keys at once than its 8 MiB hold, is an error, or the processor's work with --fallback.

Examples:
  halimede ckks eval --keys keys/evaluation.keys '3*x*y + rot(x, 1)' x=x.ct y=y.ct --out z.ct
  halimede ckks eval --keys keys/evaluation.keys 'x^2/4 - conj(x) + 0.5i' x=x.ct --out z.ct
  halimede ckks eval --keys keys/evaluation.keys 'sqrt(within(x - y, 0.1, 1))' x=x.ct y=y.ct --out z.ct
  halimede ckks eval --keys keys/evaluation.keys 'sigmoid(x*y, -10, 10)' x=x.ct y=y.ct --out z.ct
  halimede ckks eval --plan 'tanh(x*y) + mean(x)' x=x.ct y=y.ct
  halimede ckks eval --keys keys/evaluation.keys 'x - y' x=x.ct y=y.ct --out z.ct --device sim --fallback";

const DECRYPT_HELP: &str = "\
Without --share values are for the owner of the key alone: whoever sees them and knows the \
ciphertexts can learn the secret key, from rounded values as well. --share adds noise that hides \
it: with --security bits of security for all --queries decryptions that others ever see under this \
key. The command cannot count those of other runs. It takes SECURITY/2 + log2(12 * QUERIES * N)/2 \
bits off the precision, and says how many are left.

Noise is measured by the ciphertext's error. That of a fresh one is known. That of a result is not: \
the estimate in its file is what whoever computed it claims. So a result takes --expression, from \
which the error follows with the inputs as they were encrypted and the evaluation keys, and which \
takes no time, or --error-at-least, a bound that is known in another way, for as many values as the \
result has. Behind a sign or a comparison it is the error for all values, those below the threshold \
among them. See SECURITY.md of the engine.

Examples:
  halimede ckks decrypt --key keys/secret.key z.ct --real --count 5
  halimede ckks decrypt --key keys/secret.key x.ct --share --security 8 --queries 4 --out shared.npy
  halimede ckks eval --keys keys/evaluation.keys 'x*x' x=x.ct --out w.ct
  halimede ckks decrypt --key keys/secret.key w.ct --share --security 8 --queries 4 --expression 'x*x' --input x=x.ct --keys keys/evaluation.keys
  halimede ckks decrypt --key keys/secret.key w.ct --share --security 8 --queries 4 --error-at-least 2^-20";

const INSPECT_HELP: &str = "\
The file is read whole and its checksums are verified; nothing secret is printed. Of a ciphertext \
it prints what everybody can read in it: the secret key that it is under, by its identifier, how \
many values it has, where they were declared to lie, its level, scale and precision. Keys have the \
identifier of their secret key.

Examples:
  halimede ckks inspect x.ct
  halimede ckks inspect keys/evaluation.keys --json";

const BOOTSTRAP_DEMO_HELP: &str = "\
Keys are made, values are encrypted at the lowest level and bootstrapped, and what comes out is \
decrypted and compared. n16-boot takes about 7 GB of memory, 3 with --few-keys, which is looked \
for first, and a minute; n10-boot-insecure takes neither. RAYON_NUM_THREADS says on how many \
threads.

Examples:
  halimede ckks bootstrap-demo --repeat 3
  halimede ckks bootstrap-demo --params n16-boot-precise
  halimede ckks bootstrap-demo --slots 8 --few-keys
  halimede ckks bootstrap-demo --params n10-boot-insecure --seed 7 --json
  halimede ckks bootstrap-demo --in x.npy";

/// `halimede ckks …`
#[derive(Subcommand, Debug)]
pub enum CkksCommand {
    /// List the parameter sets, or show one.
    #[command(after_help = PARAMS_HELP)]
    Params(CkksParamsOptions),
    /// Make a secret key, and the keys that others encrypt and compute with.
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
    /// Say what a file is, and whether it is whole.
    #[command(after_help = INSPECT_HELP)]
    Inspect(InspectOptions),
    /// Run a neural network from an ONNX file on encrypted inputs.
    #[command(after_help = RUN_HELP)]
    Run(RunOptions),
    /// Train a logistic regression on encrypted samples.
    #[command(after_help = TRAIN_LOGISTIC_HELP)]
    TrainLogistic(TrainLogisticOptions),
    /// Bootstrap a vector, and say how long it takes, how precise it is and how much memory it
    /// holds.
    #[command(after_help = BOOTSTRAP_DEMO_HELP)]
    BootstrapDemo(BootstrapDemoOptions),
}

/// `halimede ckks params`
#[derive(Args, Debug)]
pub struct CkksParamsOptions {
    /// A parameter set; without it all are listed.
    #[arg(value_name = "NAME", conflicts_with_all = ["slots", "depth", "precision", "bootstrapping", "digits", "security"])]
    pub name: Option<String>,
    /// The least number of values in a ciphertext.
    #[arg(long, value_name = "N")]
    pub slots: Option<usize>,
    /// Products one after the other; with bootstrapping, from one bootstrap to the next.
    #[arg(long, value_name = "LEVELS")]
    pub depth: Option<usize>,
    /// Correct bits behind the point after these products.
    #[arg(long, value_name = "BITS")]
    pub precision: Option<f64>,
    /// Add the levels for a bootstrap.
    #[arg(long)]
    pub bootstrapping: bool,
    /// Digits of a key switch; by default the fewest that are secure.
    #[arg(long, value_name = "N")]
    pub digits: Option<usize>,
    /// Bits of security: 128 (the default), 192 or 256.
    #[arg(long, value_name = "BITS", value_parser = security_level)]
    pub security: Option<SecurityLevel>,
    /// Write the parameters to a file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl CkksParamsOptions {
    /// Whether parameters are described rather than named.
    pub fn is_described(&self) -> bool {
        let numbers = [self.slots, self.depth, self.digits];
        let is_exact = self.precision.is_some() || self.security.is_some();
        numbers.iter().any(Option::is_some) || is_exact || self.bootstrapping
    }
}

/// A level of security by its bits.
fn security_level(bits: &str) -> Result<SecurityLevel, String> {
    let level = bits.parse().ok().and_then(SecurityLevel::from_bits);
    level.ok_or_else(|| "there are levels of 128, 192 and 256 bits of security".to_owned())
}

/// `halimede ckks keygen`
#[derive(Args, Debug)]
pub struct KeygenOptions {
    /// The parameter set, as `params` lists them, or a file that it wrote.
    #[arg(long, value_name = "NAME|FILE")]
    pub params: PathBuf,
    /// A new or an empty folder for the keys: all of them, or none, appear in it. Keys that are
    /// there are not written over.
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// Make the key for products of ciphertexts.
    #[arg(long)]
    pub multiply: bool,
    /// Make the key for conjugates.
    #[arg(long)]
    pub conjugate: bool,
    /// Make keys to rotate vectors to the left by these numbers of slots; negative ones to the
    /// right.
    #[arg(long, value_name = "STEPS", value_delimiter = ',', allow_negative_numbers = true)]
    pub rotations: Vec<i64>,
    /// Make the keys for this expression, as `eval` reads it.
    #[arg(long = "for", value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub expressions: Vec<String>,
    /// With --for: the declared bound of the ciphertexts, as for `encrypt` [default: 1]
    #[arg(long, value_name = "B|LOW,HIGH", allow_hyphen_values = true, requires = "expressions")]
    pub bound: Option<BoundOption>,
    /// With --for: the number of values of a ciphertext; by default one in each slot.
    #[arg(long, value_name = "N", value_parser = slots, requires = "expressions")]
    pub values: Option<usize>,
    /// Make the keys for bootstraps; the parameter set must have levels for them.
    #[arg(long)]
    pub bootstrap: bool,
    /// Make the keys to bootstrap vectors of these numbers of slots in less time, with fewer keys.
    #[arg(long, value_name = "SLOTS", value_delimiter = ',', value_parser = slots)]
    pub bootstrap_slots: Vec<usize>,
    /// Make few keys for bootstraps: a fraction of the memory, half as much time again.
    #[arg(long)]
    pub few_keys: bool,
    /// The highest level of the ciphertexts; by default that of fresh ones.
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
    /// The bound: no absolute value exceeds B, or real values lie from LOW to HIGH. Everybody can
    /// read it. [default: 1]
    #[arg(long, value_name = "B|LOW,HIGH", allow_hyphen_values = true)]
    pub bound: Option<BoundOption>,
    /// The ciphertext.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The ciphertext's level; by default the highest below those of a bootstrap.
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<usize>,
}

/// `halimede ckks eval`
#[derive(Args, Debug)]
pub struct EvalOptions {
    /// The evaluation keys.
    #[arg(long, value_name = "FILE", required_unless_present = "plan")]
    pub keys: Option<PathBuf>,
    /// The expression.
    #[arg(value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub expression: String,
    /// The ciphertexts.
    #[arg(value_name = "NAME=FILE", required = true)]
    pub inputs: Vec<NamedFile>,
    /// The result.
    #[arg(long, value_name = "FILE", required_unless_present = "plan")]
    pub out: Option<PathBuf>,
    /// Print what would be done, its levels and the keys that it needs, and compute nothing.
    #[arg(long)]
    pub plan: bool,
    /// The largest difference of a polynomial from its function.
    #[arg(long, value_name = "E", default_value = "1e-4")]
    pub error: f64,
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
    /// The file of the values, NPY if it ends in .npy; by default CSV on standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the real parts alone.
    #[arg(long)]
    pub real: bool,
    /// Print this many values; by default all.
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// What is promised, where others may see the values.
    #[command(flatten)]
    pub sharing: SharingOptions,
    /// With --share: the expression that was computed, as `eval` reads it, from which the error
    /// follows.
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, requires_all = ["share", "keys", "inputs"])]
    pub expression: Option<String>,
    /// With --expression: a ciphertext in it, as it was encrypted.
    #[arg(long = "input", value_name = "NAME=FILE", requires = "expression")]
    pub inputs: Vec<NamedFile>,
    /// With --expression: the evaluation keys that it was computed with.
    #[arg(long, value_name = "FILE", requires = "expression")]
    pub keys: Option<PathBuf>,
    /// With --expression: the largest difference of a polynomial from its function.
    #[arg(long, value_name = "E", default_value = "1e-4", requires = "expression")]
    pub error: f64,
    /// With --expression: inputs without a seed were encrypted by the public key.
    #[arg(long, requires = "expression")]
    pub public_inputs: bool,
}

/// `halimede ckks inspect`
#[derive(Args, Debug)]
pub struct InspectOptions {
    /// Parameters, keys or a ciphertext.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// `halimede ckks bootstrap-demo`
#[derive(Args, Debug)]
pub struct BootstrapDemoOptions {
    /// The parameter set, one with levels for a bootstrap.
    #[arg(long, value_name = "NAME", default_value = "n16-boot")]
    pub params: String,
    /// The seed of the random values. Keys are random each time.
    #[arg(long, value_name = "N", conflicts_with = "input")]
    pub seed: Option<u64>,
    /// The number of random values; by default as many as fit. Few take less time and fewer keys.
    #[arg(long, value_name = "N", conflicts_with = "input", value_parser = slots)]
    pub slots: Option<usize>,
    /// Take a fraction of the keys and of the memory, but half as much time again.
    #[arg(long)]
    pub few_keys: bool,
    /// A file of values instead of random ones, CSV or NPY, of absolute value up to 1.
    #[arg(long = "in", value_name = "FILE|-")]
    pub input: Option<PathBuf>,
    /// How often to bootstrap.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// Where values are declared to lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoundOption {
    /// No absolute value is larger.
    Magnitude(f64),
    /// Real values lie between two numbers.
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
        .ok_or("a bound is one number that no absolute value exceeds, or LOW,HIGH, the smaller one first")
    }
}

/// How many values a vector has.
fn slots(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a vector has 1 value or more".to_owned()),
        Ok(slots) => Ok(slots),
    }
}

/// A file with the name that an expression has for it.
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
        let (name, path) = text.split_once('=').ok_or("a ciphertext is NAME=FILE")?;
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name =
            name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
        if !is_name || path.is_empty() {
            return Err(format!(
                "{text:?} is not NAME=FILE with a name of letters, digits and `_`"
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
