// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sections 7.2 to 7.5: encodings of shielded descriptions.

use super::{checked, Rule};

const CUT: &[&str] = &[
    "zcash/tests/all/blocks.rs::a_block_that_ends_early_is_refused_wherever_it_ends",
    "zcash/tests/all/real_blocks.rs::damaged_blocks_are_never_valid",
];
const SAPLING: &[&str] = &["zcash/tests/all/shielded.rs::encodings_of_sapling"];

/// In the order of their sections.
pub const RULES: [Rule; 7] = [
    checked("7.1", "fields have the types and lengths of their version; lengths have their shortest encoding", CUT),
    checked("7.2", "a JoinSplit has the bytes of its version, with BCTV14 before Sapling and Groth16 from then on", CUT),
    checked("7.3", "a spend has the bytes of its version", CUT),
    checked("7.3", "the Sapling anchor is below the field's order", SAPLING),
    checked("7.4", "the note commitment of an output is below the field's order", SAPLING),
    checked("7.5", "an action has the bytes of its version", CUT),
    checked("7.5", "the note commitment of an action is below the field's order", &["zcash/tests/all/shielded.rs::encodings_of_orchard"]),
];
