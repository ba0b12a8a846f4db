// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scripts of one input, with their signature checks left to a device.
//!
//! `zcash_script` runs the scripts. Where a script checks a signature, the checker here returns the
//! device's answer or, while it is unknown, records the request and guesses. A script is run once
//! with every signature assumed valid, and then once more for each request with that signature
//! assumed invalid. For `CHECKMULTISIG` this reaches every pair of signature and key that its order
//! allows, so one batch answers all. If the answers lead a script to other signatures, another
//! round follows.

use std::cell::RefCell;

use halimede_secp256k1::operations::VerifyRequest;
use halimede_secp256k1::Rejection;
use secp256k1::PublicKey;
use zcash_script::interpreter::{
    CallbackTransactionSignatureChecker, Flags, SighashCalculator, SignatureChecker,
};
use zcash_script::script::{Code, ComponentType, Raw};
use zcash_script::signature::Decoded;

use crate::sighash::DigestError;
use crate::verdict::{InputFault, InputVerdict, NotChecked, SignatureFault};

/// The flags of consensus for scripts (zcashd's `MANDATORY_SCRIPT_VERIFY_FLAGS` of blocks).
const CONSENSUS: Flags = Flags::P2SH.union(Flags::CHECKLOCKTIMEVERIFY);
/// The most runs of a script for finding its requests: 10 of 20 keys, the worst case, have 110
/// pairs.
const MOST_RUNS: usize = 128;

/// A function that returns the digest signed by a signature, from the script code so far and the
/// hash type.
pub type DigestOf<'a> = &'a dyn Fn(&Code, u8) -> DigestResult;
type Answer = Result<(), Rejection>;
type DigestResult = Result<[u8; 32], DigestError>;

/// The scripts of an input, and the results about them so far.
pub struct ScriptCheck {
    scripts: Raw,
    lock_time: u32,
    is_final: bool,
    found: RefCell<ScriptFindings>,
}

/// The results so far.
#[derive(Default)]
struct ScriptFindings {
    /// Requests, each with its answer if known.
    questions: Vec<(VerifyRequest, Option<Answer>)>,
    keys: Vec<(Vec<u8>, Result<Coordinates, SignatureFault>)>,
    digests: Vec<(Vec<u8>, u8, DigestResult)>,
}

#[derive(Clone, Copy)]
struct Coordinates {
    x: [u8; 32],
    y: [u8; 32],
}

/// The outcome of a run.
struct Run {
    outcome: Result<bool, (ComponentType, String)>,
    /// The indices of the open requests that the run reached, in order.
    open: Vec<usize>,
    last_fault: Option<SignatureFault>,
    not_checked: Option<NotChecked>,
}

impl ScriptCheck {
    /// Creates the check of an input from its script, its sequence number and the lock time of its
    /// transaction; `spent` is the script of the output.
    pub fn new(script: &Code, sequence: u32, lock_time: u32, spent: &Code) -> Self {
        Self {
            scripts: Raw::from_raw_parts(script.0.clone(), spent.0.clone()),
            lock_time,
            is_final: sequence == u32::MAX,
            found: RefCell::default(),
        }
    }

    /// Returns the verdict, or `None` if it depends on [`Self::open`] requests.
    pub fn verdict(&self, digest_of: DigestOf<'_>) -> Option<InputVerdict> {
        let run = self.run(digest_of, &[]);
        if !run.open.is_empty() {
            self.explore(digest_of, run.open);
            return None;
        }
        let signature = run.last_fault;
        Some(match (run.not_checked, run.outcome) {
            (Some(reason), _) => InputVerdict::Incomplete(reason),
            (None, Ok(true)) => InputVerdict::Valid,
            (None, Ok(false)) => InputVerdict::Invalid(InputFault::False { signature }),
            (None, Err((component, reason))) => {
                let script = script_name(component);
                InputVerdict::Invalid(InputFault::Script { script, reason, signature })
            }
        })
    }

    /// Returns the open requests.
    pub fn open(&self) -> Vec<VerifyRequest> {
        let found = self.found.borrow();
        let open = found.questions.iter().filter(|(_, answer)| answer.is_none());
        open.map(|(request, _)| request.clone()).collect()
    }

    /// Takes the answers to all [`Self::open`] requests, in order.
    pub fn answer(&mut self, answers: impl Iterator<Item = Answer>) {
        let found = self.found.get_mut();
        let open = found.questions.iter_mut().filter(|(_, answer)| answer.is_none());
        open.zip(answers).for_each(|((_, answer), given)| *answer = Some(given));
    }

    /// Finds the requests that the script makes if these first requests are answered with
    /// "invalid".
    fn explore(&self, digest_of: DigestOf<'_>, first: Vec<usize>) {
        let mut known = first.clone();
        let mut runs: Vec<Vec<usize>> = first.into_iter().map(|question| vec![question]).collect();
        let mut next = 0;
        while next < runs.len().min(MOST_RUNS) {
            let bad = std::mem::take(&mut runs[next]);
            next += 1;
            for question in self.run(digest_of, &bad).open {
                if known.contains(&question) {
                    continue;
                }
                known.push(question);
                // The path of this run up to the request, but with the other answer.
                let mut other = bad.clone();
                other.push(question);
                runs.push(other);
            }
        }
    }

    /// Runs the scripts; among the open requests, `bad` are assumed invalid, the others valid.
    fn run(&self, digest_of: DigestOf<'_>, bad: &[usize]) -> Run {
        let never: SighashCalculator<'_> = &|_, _| None;
        let checker = Checker {
            found: &self.found,
            digest_of,
            bad,
            time: CallbackTransactionSignatureChecker {
                sighash: never,
                lock_time: i64::from(self.lock_time),
                is_final: self.is_final,
            },
            notes: RefCell::default(),
        };
        let outcome = self.scripts.eval(CONSENSUS, &checker);
        let notes = checker.notes.into_inner();
        Run {
            outcome: outcome.map_err(|(component, error)| (component, error.to_string())),
            open: notes.open,
            last_fault: notes.last_fault,
            not_checked: notes.not_checked,
        }
    }
}

/// Answers the signature checks of a run.
struct Checker<'a> {
    found: &'a RefCell<ScriptFindings>,
    digest_of: DigestOf<'a>,
    bad: &'a [usize],
    time: CallbackTransactionSignatureChecker<'a>,
    notes: RefCell<Notes>,
}

#[derive(Default)]
struct Notes {
    open: Vec<usize>,
    last_fault: Option<SignatureFault>,
    not_checked: Option<NotChecked>,
}

impl SignatureChecker for Checker<'_> {
    fn check_sig(&self, signature: &Decoded, key: &[u8], script_code: &Code) -> bool {
        let mut notes = self.notes.borrow_mut();
        let fault =
            match self.found.borrow_mut().question(signature, key, script_code, self.digest_of) {
                Ok((index, None)) => {
                    if !notes.open.contains(&index) {
                        notes.open.push(index);
                    }
                    return !self.bad.contains(&index);
                }
                Ok((_, Some(Ok(())))) => return true,
                Ok((_, Some(Err(rejection)))) => SignatureFault::Check(rejection),
                Err(DigestError::NotChecked(reason)) => {
                    notes.not_checked.get_or_insert(reason);
                    return false;
                }
                Err(DigestError::Fault(fault)) => fault,
            };
        notes.last_fault = Some(fault);
        false
    }

    fn check_lock_time(&self, lock_time: i64) -> bool {
        self.time.check_lock_time(lock_time)
    }
}

impl ScriptFindings {
    /// Returns the index of the request that verifies this signature, and the answer if known.
    fn question(
        &mut self,
        signature: &Decoded,
        key: &[u8],
        script_code: &Code,
        digest_of: DigestOf<'_>,
    ) -> Result<(usize, Option<Answer>), DigestError> {
        let Coordinates { x, y } = self.key(key).map_err(DigestError::Fault)?;
        // The hash type is a byte of the script.
        let hash_type = signature.sighash_type().raw_bits() as u8;
        let digest = self.digest(script_code, hash_type, digest_of)?;
        let (mut r, mut s) = ([0; 32], [0; 32]);
        let numbers = signature.sig().serialize_compact();
        r.copy_from_slice(&numbers[..32]);
        s.copy_from_slice(&numbers[32..]);
        let request = VerifyRequest { r, s, digest, x, y };
        let index = self.questions.iter().position(|(asked, _)| *asked == request);
        let index = index.unwrap_or_else(|| {
            self.questions.push((request, None));
            self.questions.len() - 1
        });
        Ok((index, self.questions[index].1))
    }

    fn key(&mut self, bytes: &[u8]) -> Result<Coordinates, SignatureFault> {
        if let Some((_, key)) = self.keys.iter().find(|(known, _)| known == bytes) {
            return key.clone();
        }
        let key = PublicKey::from_slice(bytes);
        let key = key.map_err(|error| SignatureFault::Key(error.to_string())).map(|key| {
            let point = key.serialize_uncompressed();
            let (mut x, mut y) = ([0; 32], [0; 32]);
            x.copy_from_slice(&point[1..33]);
            y.copy_from_slice(&point[33..]);
            Coordinates { x, y }
        });
        self.keys.push((bytes.to_vec(), key.clone()));
        key
    }

    fn digest(
        &mut self,
        script_code: &Code,
        hash_type: u8,
        digest_of: DigestOf<'_>,
    ) -> DigestResult {
        let is_this =
            |(code, of, _): &&(Vec<u8>, u8, _)| *of == hash_type && *code == script_code.0;
        if let Some((_, _, digest)) = self.digests.iter().find(is_this) {
            return digest.clone();
        }
        let digest = digest_of(script_code, hash_type);
        self.digests.push((script_code.0.clone(), hash_type, digest.clone()));
        digest
    }
}

fn script_name(component: ComponentType) -> &'static str {
    match component {
        ComponentType::Sig => "script of the input",
        ComponentType::PubKey => "script of the output",
        ComponentType::Redeem => "redeem script",
    }
}
