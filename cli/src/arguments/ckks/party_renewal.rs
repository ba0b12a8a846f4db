// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede ckks party` that renew ciphertexts and sessions: refreshes and
//! re-sharings.

use std::path::PathBuf;

use clap::Args;

use super::sent::{party_name, seed, Sent};
use super::sharing::error_bound;

pub const REFRESH_HELP: &str = "\
Makes the party's share of a refresh, for `party finish-refresh`: the same values at the level of \
fresh ciphertexts, as after a bootstrap. The values stay encrypted, hidden behind a random mask up \
to a probability of 2^-BITS, so a refresh is not counted. It fails if the level of the ciphertext \
has no room for the mask, and names a level that has.

Refresh only results of a computation that the parties agreed on. The bound that a file claims is \
not trusted: give the bound of the values that you know.

Examples:
  halimede ckks party refresh w.ct --state alice.party --security 40 --values-at-most 1 --out alice.refresh
  halimede ckks party refresh w.ct --state bob.party --security 40 --values-at-most 1 --out bob.refresh
  halimede ckks party refresh u.ct --state ann.party --quorum ann,ben --security 40 --values-at-most 1 --out ann.refresh
  halimede ckks party refresh u.ct --state ben.party --quorum ann,ben --security 40 --values-at-most 1 --out ben.refresh";

pub const FINISH_REFRESH_HELP: &str = "\
Adds up the shares of a refresh. Anyone who has them can do that.

Examples:
  halimede ckks party finish-refresh two.session w.ct --from alice=alice.refresh --from bob=bob.refresh --out w2.ct
  halimede ckks party finish-refresh three.session u.ct --from ann=ann.refresh --from ben=ben.refresh --out u2.ct";

pub const RESHARE_HELP: &str = "\
Makes the session after a re-sharing: other parties share the same secret key. The public key and \
the evaluation keys stay valid. One person makes the session and sends the file to all old and new \
parties. --quorum names the old parties that hand their shares over: as many as decrypt together. A \
party may stay: it joins the new session like the others.

Then the new parties `join`, the old ones of the quorum `hand-over`, the new ones `receive`, and all \
old ones `retire`.

Examples:
  halimede ckks party reshare three.session --quorum ann,cem --party ben --party dan --party eve --threshold 2 --out next.session
  halimede ckks party join next.session --name ben --state ben2.party
  halimede ckks party join next.session --name dan --state dan.party
  halimede ckks party join next.session --name eve --state eve.party";

pub const HAND_OVER_HELP: &str = "\
Writes a message for each party of the next session to a new folder of mode 0700. The messages are \
SECRET: send each over a confidential channel to its receiver only, then delete it. Whoever reads \
those of all parties of the quorum knows the secret key. From now on the party answers no more; the \
command may be repeated.

Examples:
  halimede ckks party hand-over --state ann.party --next next.session --dir next-from-ann
  halimede ckks party hand-over --state cem.party --next next.session --dir next-from-cem
  halimede ckks party receive --state ben2.party --from ann=next-from-ann/ben.share --from cem=next-from-cem/ben.share
  halimede ckks party receive --state dan.party --from ann=next-from-ann/dan.share --from cem=next-from-cem/dan.share
  halimede ckks party receive --state eve.party --from ann=next-from-ann/eve.share --from cem=next-from-cem/eve.share";

pub const RETIRE_HELP: &str = "\
Wipes the secrets of an old party from its state, also if it was not in the quorum. Run it when all \
new parties have received all shares: without them the key is lost. Copies of the file, and blocks \
of the disk that it used, are up to you.

Examples:
  halimede ckks party retire --state ann.party --next next.session
  halimede ckks party retire --state ben.party --next next.session
  halimede ckks party retire --state cem.party --next next.session";

/// `halimede ckks party refresh`
#[derive(Args, Debug)]
pub struct PartyRefreshOptions {
    /// The ciphertext.
    #[arg(value_name = "CIPHERTEXT")]
    pub ciphertext: PathBuf,
    /// The state of the party.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// The parties that answer, under a threshold.
    #[arg(long, value_name = "PARTY,…", value_delimiter = ',')]
    pub quorum: Vec<String>,
    /// The bits of security, from 1 to 128.
    #[arg(long, value_name = "BITS")]
    pub security: u32,
    /// A known bound of the absolute values, such as 8 or 2^3.
    #[arg(long, value_name = "B", value_parser = error_bound)]
    pub values_at_most: Option<f64>,
    /// The file of the message.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `halimede ckks party finish-refresh`
#[derive(Args, Debug)]
pub struct PartyFinishRefreshOptions {
    /// The session.
    #[arg(value_name = "SESSION")]
    pub session: PathBuf,
    /// The ciphertext.
    #[arg(value_name = "CIPHERTEXT")]
    pub ciphertext: PathBuf,
    /// The share of a party; give all.
    #[arg(long = "from", value_name = "PARTY=FILE", required = true)]
    pub messages: Vec<Sent>,
    /// The file of the refreshed ciphertext.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `halimede ckks party reshare`
#[derive(Args, Debug)]
pub struct PartyReshareOptions {
    /// The session whose key is handed over.
    #[arg(value_name = "SESSION")]
    pub session: PathBuf,
    /// The old parties that hand their shares over; by default all, without a threshold.
    #[arg(long, value_name = "PARTY,…", value_delimiter = ',')]
    pub quorum: Vec<String>,
    /// The name of a new party; give all, in the agreed order.
    #[arg(long = "party", value_name = "NAME", required = true, value_parser = party_name)]
    pub parties: Vec<String>,
    /// The number of new parties that decrypt together; by default all.
    #[arg(long, value_name = "T")]
    pub threshold: Option<usize>,
    /// The common random string, 32 bytes, which is never used again; by default it is random.
    #[arg(long, value_name = "HEX", value_parser = seed)]
    pub seed: Option<[u8; 32]>,
    /// The file of the next session.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `halimede ckks party hand-over`
#[derive(Args, Debug)]
pub struct PartyHandOverOptions {
    /// The state of the old party.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// The next session.
    #[arg(long, value_name = "SESSION")]
    pub next: PathBuf,
    /// A new or an empty folder for the secret messages.
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
}

/// `halimede ckks party retire`
#[derive(Args, Debug)]
pub struct PartyRetireOptions {
    /// The state of the old party.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// The next session.
    #[arg(long, value_name = "SESSION")]
    pub next: PathBuf,
}
