// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands and options of `halimede ckks party`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::party_renewal::{
    PartyFinishRefreshOptions, PartyHandOverOptions, PartyRefreshOptions, PartyReshareOptions,
    PartyRetireOptions, FINISH_REFRESH_HELP, HAND_OVER_HELP, REFRESH_HELP, RESHARE_HELP,
    RETIRE_HELP,
};
use super::sent::{party_name, seed, Sent};
use super::sharing::error_bound;
use super::NamedFile;

const SESSION_HELP: &str = "\
One person makes the session and sends the file to all parties. It contains no secret, but all \
parties must have the same file: compare the identity that the command prints. The parties also \
agree there on the operations for which they make keys.

By default a decryption needs all parties. With --threshold T, any T of them decrypt, after each \
party has shared its secret with the others (`party share`, `party receive`).

Examples:
  halimede ckks party session --params n14 --party alice --party bob --multiply --rotations 1 --out two.session
  halimede ckks party session --params n14 --party ann --party ben --party cem --threshold 2 --out three.session";

const JOIN_HELP: &str = "\
Draws the party's share of the secret key and the seed of its noise. The state is a new file of \
mode 0600, which stays with the party. Commands that change the state replace the file before their \
message appears. Never use an older copy of it: the party would answer twice for a ciphertext, and \
count its answers from a smaller number.

Examples:
  halimede ckks party join two.session --name alice --state alice.party
  halimede ckks party join two.session --name bob --state bob.party
  halimede ckks party join three.session --name ann --state ann.party
  halimede ckks party join three.session --name ben --state ben.party
  halimede ckks party join three.session --name cem --state cem.party";

const KEYS_HELP: &str = "\
The messages of --out are for the collector of the keys. If the session has products, --products \
are for all other parties, who answer with `party reply`. Messages that were lost can be made \
again: they have the same bytes. Send all messages over channels that authenticate their sender.

Examples:
  halimede ckks party keys --state alice.party --out alice.keys --products alice.products
  halimede ckks party keys --state bob.party --out bob.keys --products bob.products
  halimede ckks party keys --state ann.party --out ann.keys
  halimede ckks party keys --state ben.party --out ben.keys
  halimede ckks party keys --state cem.party --out cem.keys";

const REPLY_HELP: &str = "\
The second round of the key for products: answers the --products of all other parties, for the \
collector of the keys. A party replies to one first round only.

Examples:
  halimede ckks party reply --state alice.party --from bob=bob.products --out alice.reply
  halimede ckks party reply --state bob.party --from alice=alice.products --out bob.reply";

const COLLECT_HELP: &str = "\
Adds up the messages of all parties, and writes public.key and, if the session has operations, \
evaluation.keys: the same files as those of one key holder. Anyone can do that. Each --from names \
the party that sent a file, as the channel authenticated it.

Examples:
  halimede ckks party collect two.session --from alice=alice.keys --from alice=alice.reply --from bob=bob.keys --from bob=bob.reply --dir shared
  halimede ckks party collect three.session --from ann=ann.keys --from ben=ben.keys --from cem=cem.keys --dir three";

const SHARE_HELP: &str = "\
Under a threshold, writes a message for each other party to a new folder of mode 0700. The messages \
are SECRET: send each over a confidential channel to its receiver only, then delete it. Whoever \
reads the messages of T parties knows their secrets.

Examples:
  halimede ckks party share --state ann.party --dir from-ann
  halimede ckks party share --state ben.party --dir from-ben
  halimede ckks party share --state cem.party --dir from-cem";

const RECEIVE_HELP: &str = "\
Under a threshold, adds the shares of the other parties' secrets to the state. They may arrive one \
by one. A party that has not received all of them cannot decrypt.

Examples:
  halimede ckks party receive --state ann.party --from ben=from-ben/ann.share --from cem=from-cem/ann.share
  halimede ckks party receive --state ben.party --from ann=from-ann/ben.share
  halimede ckks party receive --state ben.party --from cem=from-cem/ben.share
  halimede ckks party receive --state cem.party --from ann=from-ann/cem.share --from ben=from-ben/cem.share";

const DECRYPT_HELP: &str = "\
Makes the party's share of a decryption, for `party finish`, and counts it in the state. The share \
contains noise that hides the secret key, for --security bits and --queries decryptions and key \
switches under this session's key; all parties state the same. A party answers once for a \
ciphertext: the same command again writes the same bytes and is not counted.

Answer only for the result of a computation that the parties agreed on. The claimed error of a \
file is not trusted: --expression with --input and --keys derives the error of the result, from \
inputs that were encrypted with the public key; otherwise give --error-at-least.

Examples:
  printf '0.5\\n-0.25\\n' > v.csv
  halimede ckks encrypt --public shared/public.key --in v.csv --out v.ct
  halimede ckks eval --keys shared/evaluation.keys 'v*v' v=v.ct --out w.ct
  halimede ckks party decrypt w.ct --state alice.party --security 10 --queries 4 --expression 'v*v' --input v=v.ct --keys shared/evaluation.keys --out alice.answer
  halimede ckks party decrypt w.ct --state bob.party --security 10 --queries 4 --expression 'v*v' --input v=v.ct --keys shared/evaluation.keys --out bob.answer
  halimede ckks encrypt --public three/public.key --in v.csv --out u.ct
  halimede ckks party decrypt u.ct --state ann.party --quorum ann,cem --security 10 --queries 4 --error-at-least 2^-24 --out ann.answer
  halimede ckks party decrypt u.ct --state cem.party --quorum ann,cem --security 10 --queries 4 --error-at-least 2^-24 --out cem.answer";

const FINISH_HELP: &str = "\
Adds up the shares of a decryption. Anyone who has them can do that. The values contain the noise \
of all parties that answered.

Examples:
  halimede ckks party finish two.session w.ct --from alice=alice.answer --from bob=bob.answer
  halimede ckks party finish three.session u.ct --from ann=ann.answer --from cem=cem.answer --out u.npy";

const SWITCH_HELP: &str = "\
Makes the party's share of a key switch, for `party finish-switch`: the same values under the \
public key of a receiver, who alone decrypts them. It has the noise of a decryption, and counts as \
one.

Examples:
  halimede ckks keygen --params n14 --dir receiver
  halimede ckks encrypt --public shared/public.key --in v.csv --out s.ct
  halimede ckks party switch s.ct --state alice.party --receiver receiver/public.key --security 10 --queries 4 --error-at-least 2^-24 --out alice.switch
  halimede ckks party switch s.ct --state bob.party --receiver receiver/public.key --security 10 --queries 4 --error-at-least 2^-24 --out bob.switch";

const FINISH_SWITCH_HELP: &str = "\
Adds up the shares of a key switch. The result is a ciphertext under the receiver's key.

Examples:
  halimede ckks party finish-switch two.session s.ct --receiver receiver/public.key --from alice=alice.switch --from bob=bob.switch --out r.ct
  halimede ckks decrypt --key receiver/secret.key r.ct";

/// `halimede ckks party …`
#[derive(Subcommand, Debug)]
pub enum PartyCommand {
    /// Make a session: the agreement of all parties.
    #[command(after_help = SESSION_HELP)]
    Session(PartySessionOptions),
    /// Join a session: make the state of a party.
    #[command(after_help = JOIN_HELP)]
    Join(PartyJoinOptions),
    /// Make a party's messages for the public key and the evaluation keys.
    #[command(after_help = KEYS_HELP)]
    Keys(PartyKeysOptions),
    /// Make a party's message of the second round of the key for products.
    #[command(after_help = REPLY_HELP)]
    Reply(PartyReplyOptions),
    /// Turn the messages of all parties into the public key and the evaluation keys.
    #[command(after_help = COLLECT_HELP)]
    Collect(PartyCollectOptions),
    /// Share a party's secret with the other parties, under a threshold.
    #[command(after_help = SHARE_HELP)]
    Share(PartyShareOptions),
    /// Receive the shares of other parties' secrets.
    #[command(after_help = RECEIVE_HELP)]
    Receive(PartyReceiveOptions),
    /// Make a party's share of a decryption.
    #[command(after_help = DECRYPT_HELP)]
    Decrypt(PartyDecryptOptions),
    /// Turn the shares of a decryption into values.
    #[command(after_help = FINISH_HELP)]
    Finish(PartyFinishOptions),
    /// Make a party's share of a key switch to a receiver.
    #[command(after_help = SWITCH_HELP)]
    Switch(PartySwitchOptions),
    /// Turn the shares of a key switch into a ciphertext.
    #[command(after_help = FINISH_SWITCH_HELP)]
    FinishSwitch(PartyFinishSwitchOptions),
    /// Make a party's share of a refresh: back to the level of fresh ciphertexts.
    #[command(after_help = REFRESH_HELP)]
    Refresh(PartyRefreshOptions),
    /// Turn the shares of a refresh into a ciphertext.
    #[command(after_help = FINISH_REFRESH_HELP)]
    FinishRefresh(PartyFinishRefreshOptions),
    /// Make the session of the parties that take a key over.
    #[command(after_help = RESHARE_HELP)]
    Reshare(PartyReshareOptions),
    /// Hand a party's share over to the parties of the next session.
    #[command(after_help = HAND_OVER_HELP)]
    HandOver(PartyHandOverOptions),
    /// Wipe a party's share after it was handed over.
    #[command(after_help = RETIRE_HELP)]
    Retire(PartyRetireOptions),
}

/// `halimede ckks party session`
#[derive(Args, Debug)]
pub struct PartySessionOptions {
    /// The name of a parameter set (see `params`), or a file written by `params --out`.
    #[arg(long, value_name = "NAME|FILE")]
    pub params: PathBuf,
    /// The name of a party; give all, in the agreed order.
    #[arg(long = "party", value_name = "NAME", required = true, value_parser = party_name)]
    pub parties: Vec<String>,
    /// The number of parties that decrypt together; by default all.
    #[arg(long, value_name = "T")]
    pub threshold: Option<usize>,
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
    /// The common random string, 32 bytes, which the parties chose together and never use again;
    /// by default it is random.
    #[arg(long, value_name = "HEX", value_parser = seed)]
    pub seed: Option<[u8; 32]>,
    /// The file of the session.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `halimede ckks party join`
#[derive(Args, Debug)]
pub struct PartyJoinOptions {
    /// The session.
    #[arg(value_name = "SESSION")]
    pub session: PathBuf,
    /// The name of the party in the session.
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// The new file of the party's state, which only its owner may read.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
}

/// `halimede ckks party keys`
#[derive(Args, Debug)]
pub struct PartyKeysOptions {
    /// The state of the party.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// The file of the messages for `party collect`.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The file of the first round of the key for products, for all other parties.
    #[arg(long, value_name = "FILE")]
    pub products: Option<PathBuf>,
}

/// `halimede ckks party reply`
#[derive(Args, Debug)]
pub struct PartyReplyOptions {
    /// The state of the party.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// The `--products` of each other party.
    #[arg(long = "from", value_name = "PARTY=FILE", required = true)]
    pub messages: Vec<Sent>,
    /// The file of the message for `party collect`.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `halimede ckks party collect`
#[derive(Args, Debug)]
pub struct PartyCollectOptions {
    /// The session.
    #[arg(value_name = "SESSION")]
    pub session: PathBuf,
    /// The messages of a party; give all of all parties.
    #[arg(long = "from", value_name = "PARTY=FILE", required = true)]
    pub messages: Vec<Sent>,
    /// A new or an empty folder for the keys.
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
}

/// `halimede ckks party share`
#[derive(Args, Debug)]
pub struct PartyShareOptions {
    /// The state of the party.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// A new or an empty folder for the secret messages.
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
}

/// `halimede ckks party receive`
#[derive(Args, Debug)]
pub struct PartyReceiveOptions {
    /// The state of the party.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// The secret message of another party for this one.
    #[arg(long = "from", value_name = "PARTY=FILE", required = true)]
    pub messages: Vec<Sent>,
}

/// The statement of security of an answer, and the source of the bound of its error.
#[derive(Args, Debug)]
pub struct AnswerOptions {
    /// The state of the party.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// The parties that answer, under a threshold.
    #[arg(long, value_name = "PARTY,…", value_delimiter = ',')]
    pub quorum: Vec<String>,
    /// The bits of security.
    #[arg(long, value_name = "BITS")]
    pub security: u32,
    /// The total number of decryptions and key switches under the key of this session.
    #[arg(long, value_name = "N")]
    pub queries: u32,
    /// A known bound of the root mean square error of a value, such as 1e-6 or 2^-20.
    #[arg(long, value_name = "E", value_parser = error_bound)]
    pub error_at_least: Option<f64>,
    /// The expression that `eval` computed, from which the error follows.
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, requires_all = ["keys", "inputs"])]
    pub expression: Option<String>,
    /// With --expression: an input of the expression, as it was encrypted with the public key.
    #[arg(long = "input", value_name = "NAME=FILE", requires = "expression")]
    pub inputs: Vec<NamedFile>,
    /// With --expression: the evaluation keys that the expression was computed with.
    #[arg(long, value_name = "FILE", requires = "expression")]
    pub keys: Option<PathBuf>,
    /// With --expression: the maximum difference between a function and its polynomial.
    #[arg(long, value_name = "E", default_value = "1e-4", requires = "expression")]
    pub error: f64,
    /// The file of the message.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `halimede ckks party decrypt`
#[derive(Args, Debug)]
pub struct PartyDecryptOptions {
    /// The ciphertext.
    #[arg(value_name = "CIPHERTEXT")]
    pub ciphertext: PathBuf,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

/// `halimede ckks party switch`
#[derive(Args, Debug)]
pub struct PartySwitchOptions {
    /// The ciphertext.
    #[arg(value_name = "CIPHERTEXT")]
    pub ciphertext: PathBuf,
    /// The public key of the receiver, for parameters with the same primes.
    #[arg(long, value_name = "FILE")]
    pub receiver: PathBuf,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

/// `halimede ckks party finish`
#[derive(Args, Debug)]
pub struct PartyFinishOptions {
    /// The session.
    #[arg(value_name = "SESSION")]
    pub session: PathBuf,
    /// The ciphertext.
    #[arg(value_name = "CIPHERTEXT")]
    pub ciphertext: PathBuf,
    /// The share of a party; give all.
    #[arg(long = "from", value_name = "PARTY=FILE", required = true)]
    pub messages: Vec<Sent>,
    /// The file of the values, NPY if its name ends in .npy; by default CSV on standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `halimede ckks party finish-switch`
#[derive(Args, Debug)]
pub struct PartyFinishSwitchOptions {
    /// The session.
    #[arg(value_name = "SESSION")]
    pub session: PathBuf,
    /// The ciphertext.
    #[arg(value_name = "CIPHERTEXT")]
    pub ciphertext: PathBuf,
    /// The public key of the receiver.
    #[arg(long, value_name = "FILE")]
    pub receiver: PathBuf,
    /// The share of a party; give all.
    #[arg(long = "from", value_name = "PARTY=FILE", required = true)]
    pub messages: Vec<Sent>,
    /// The file of the ciphertext under the receiver's key.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}
