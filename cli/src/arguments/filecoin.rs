// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands and options of `halimede filecoin`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::DeviceOptions;

const PRECOMMIT2_HELP: &str = "\
The command does what lotus expects from --external-pc2: it makes tree C, the replica (in the \
sealed file, over the data), tree R, p_aux and t_aux, byte for byte as filecoin-proofs 19. lotus \
passes the options as environment variables, and no others, so that PATH is not set: name the \
command by its absolute path.

Before the sealed file is changed, the command checks the output of the first phase, the lengths \
of all files, the free space, and that the sealed file contains the data of tree D. A killed or \
failed run continues when the command is started again with the same options; the sealed file may \
contain the data again. A journal in the cache folder has the progress. p_aux is written last: \
without it, a sealed file is not complete.

The command prints the identifiers of data and replica like lotus-bench, `d:CID r:CID`. --json \
prints one object:
  proof_type, proof, sector_bytes, sector_num, sector_miner, sealed, cache, device
  unsealed_cid, sealed_cid  the identifiers
  comm_d, comm_c, comm_r_last, comm_r  roots in hexadecimal, in the byte order of the files
  reused_trees          base trees of tree C that an earlier run had made
  continued_replica     true if an earlier run had begun to write the replica
  seconds               the times of tree_c and replica

Exit codes: 0 the sector is sealed; 2 bad input, and the sealed file is unchanged unless an earlier \
run had begun the replica; 3 a device failed or is not available; 4 writing failed, or the disk is \
full.

Examples:
  lotus-worker run --external-pc2 \"$(which halimede) filecoin precommit2\"
  halimede filecoin precommit2 --sealed copy/sealed --cache copy/cache --pc1out $(cat pc1out)";

/// `halimede filecoin …`
#[derive(Subcommand, Debug)]
pub enum FilecoinCommand {
    /// Run the second phase of sealing a sector (PC2), as lotus' external command.
    #[command(after_help = PRECOMMIT2_HELP)]
    Precommit2(Precommit2Options),
}

/// `halimede filecoin precommit2`
#[derive(Args, Debug)]
pub struct Precommit2Options {
    /// The sealed file, which contains the unsealed data.
    #[arg(long, value_name = "FILE", env = "EXTSEAL_PC2_SEALED")]
    pub sealed: PathBuf,
    /// The cache folder, with the layers of labels and tree D.
    #[arg(long, value_name = "DIR", env = "EXTSEAL_PC2_CACHE")]
    pub cache: PathBuf,
    /// The output of the first phase: JSON in base64.
    #[arg(long, value_name = "BASE64", env = "EXTSEAL_PC2_PC1OUT", hide_env_values = true)]
    pub pc1out: String,
    /// The number of the seal proof, 0 to 19. It must match the output of the first phase.
    #[arg(long, value_name = "N", env = "EXTSEAL_PC2_PROOF_TYPE")]
    pub proof_type: Option<u64>,
    /// The size of the sector in bytes. It must match the output of the first phase.
    #[arg(long, value_name = "BYTES", env = "EXTSEAL_PC2_SECTOR_SIZE")]
    pub sector_size: Option<u64>,
    /// The number of the sector, only for the report.
    #[arg(long, value_name = "N", env = "EXTSEAL_PC2_SECTOR_NUM")]
    pub sector_num: Option<u64>,
    /// The number of the miner, only for the report.
    #[arg(long, value_name = "N", env = "EXTSEAL_PC2_SECTOR_MINER")]
    pub sector_miner: Option<u64>,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}
