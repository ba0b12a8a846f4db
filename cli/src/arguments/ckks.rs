// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of CKKS.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};

const PARAMS_HELP: &str = "\
Examples:
  halimede ckks params
  halimede ckks params n15 --json";

const KEYGEN_HELP: &str = "\
Written to the folder are secret.key, which stays with its owner, public.key, with which anybody can \
encrypt, and, where operations are asked for, evaluation.keys, with which a server can compute. The \
secret key has the mode 0600, and one that is there is never written over. Keys for fewer levels are \
smaller: --level cuts evaluation.keys to what ciphertexts up to that level need.

Examples:
  halimede ckks keygen --params n14 --dir keys --multiply --rotations 1,2,4
  halimede ckks keygen --params n15 --dir keys --multiply --conjugate --level 6";

const ENCRYPT_HELP: &str = "\
Values come as CSV, one a line, `re` or `re,im`, or as a one-dimensional NPY file (names ending in \
.npy) of float64 or complex128; `-` is CSV on standard input. A vector whose length is no power of two is \
filled up with zeros. What the secret key encrypts is half as large as what the public key does.

Examples:
  halimede ckks encrypt --key keys/secret.key --in x.csv --out x.ct
  halimede ckks encrypt --public keys/public.key --in y.npy --out y.ct --level 3";

const EVAL_HELP: &str = "\
The expression has + - * and parentheses, numbers (2, 0.5e-3, 1.5i), and the names of ciphertexts. \
rot(x, k) turns x to the left by k slots, conj(x) is the complex conjugate, square(x) is x*x. exp, log, sin, cos, tanh, \
sigmoid, sqrt and inv (1/x) of real values are polynomials within --error of the function, between \
the bounds that the ciphertext's estimate has for its values, or between two numbers: \
sigmoid(x, -8, 8). Values outside make anything of the result.

A product takes a level, but by whole numbers up to 1024 none; a polynomial of degree d takes the \
logarithm of d, and one for the bounds. Only those keys are kept in memory that the expression may need.

Examples:
  halimede ckks eval --keys keys/evaluation.keys 'sigmoid(3*x*y, -6, 6)' x=x.ct y=y.ct --out z.ct
  halimede ckks eval --keys keys/evaluation.keys '3*x*y + rot(x, 1)' x=x.ct y=y.ct --out z.ct
  halimede ckks eval --keys keys/evaluation.keys 'square(x) - conj(x) + 0.5i' x=x.ct --out z.ct";

const DECRYPT_HELP: &str = "\
Values are rounded to what is expected to be right: whoever sees exact decryptions and knows the \
ciphertexts can learn the secret key. --exact is for the owner alone. --flood adds noise that hides \
more, see SECURITY.md of the engine.

Examples:
  halimede ckks decrypt --key keys/secret.key z.ct --real --count 5
  halimede ckks decrypt --key keys/secret.key z.ct --out z.npy --flood 10";

const INSPECT_HELP: &str = "\
The file is read whole and its checksums are verified; nothing secret is printed.

Examples:
  halimede ckks inspect x.ct
  halimede ckks inspect keys/evaluation.keys --json";

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
}

/// `halimede ckks params`
#[derive(Args, Debug)]
pub struct CkksParamsOptions {
    /// A parameter set; all are listed where it is absent.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// `halimede ckks keygen`
#[derive(Args, Debug)]
pub struct KeygenOptions {
    /// The parameter set, as `params` lists them.
    #[arg(long, value_name = "NAME")]
    pub params: String,
    /// Where the keys are written; made where it is not there.
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// Let products of ciphertexts be computed.
    #[arg(long)]
    pub multiply: bool,
    /// Let conjugates be computed.
    #[arg(long)]
    pub conjugate: bool,
    /// Let vectors be turned to the left by these numbers of slots; negative ones to the right.
    #[arg(long, value_name = "STEPS", value_delimiter = ',', allow_negative_numbers = true)]
    pub rotations: Vec<i64>,
    /// The highest level of the ciphertexts that are computed with; all where absent.
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<usize>,
}

/// `halimede ckks encrypt`
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("by").required(true).args(["key", "public"])))]
pub struct EncryptOptions {
    /// Encrypt by this secret key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Encrypt by this public key.
    #[arg(long, value_name = "FILE")]
    pub public: Option<PathBuf>,
    /// The values, CSV or NPY.
    #[arg(long = "in", value_name = "FILE|-")]
    pub input: PathBuf,
    /// The ciphertext.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The ciphertext's level; the highest where absent.
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<usize>,
}

/// `halimede ckks eval`
#[derive(Args, Debug)]
pub struct EvalOptions {
    /// The evaluation keys.
    #[arg(long, value_name = "FILE")]
    pub keys: PathBuf,
    /// What to compute.
    #[arg(value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub expression: String,
    /// The ciphertexts.
    #[arg(value_name = "NAME=FILE", required = true)]
    pub inputs: Vec<NamedFile>,
    /// The result.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// By how much a polynomial may differ from its function.
    #[arg(long, value_name = "E", default_value = "1e-4")]
    pub error: f64,
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
    /// Where the values go, NPY where it ends in .npy; CSV on standard output where absent.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The real parts alone.
    #[arg(long)]
    pub real: bool,
    /// The first values alone; all slots where absent.
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Add noise of 2^BITS times the error before rounding.
    #[arg(long, value_name = "BITS", conflicts_with = "exact")]
    pub flood: Option<f64>,
    /// Do not round: for the owner of the key alone.
    #[arg(long)]
    pub exact: bool,
}

/// `halimede ckks inspect`
#[derive(Args, Debug)]
pub struct InspectOptions {
    /// Parameters, keys or a ciphertext.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
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
    fn named_files() {
        let named = |name: &str, path: &str| Ok(NamedFile { name: name.into(), path: path.into() });
        assert_eq!("x=a.ct".parse(), named("x", "a.ct"));
        assert_eq!("_x1=/a=b".parse(), named("_x1", "/a=b"));
        for text in ["", "x", "=a", "x=", "1x=a", "x-y=a", "ä=a", " x=a"] {
            assert!(text.parse::<NamedFile>().is_err(), "{text}");
        }
    }
}
