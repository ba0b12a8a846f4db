// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Devices: the places where Halimede's jobs run.
//!
//! ```
//! use halimede_arith::job::Execute;
//! use halimede_arith::Felt;
//! use halimede_device::Device;
//! use halimede_poseidon::operations::{StarknetHash, StarknetInput};
//!
//! let device = Device::open("cpu")?;
//! let pair = StarknetInput::Pair(Felt::from(1), Felt::from(2));
//! let batch = Execute::<StarknetHash>::execute(&device, &[pair])?;
//! assert!(batch.replies[0].to_string().starts_with("0x05d44a3decb2b2e0cc71071f"));
//! # Ok::<(), halimede_arith::job::DeviceError>(())
//! ```
//!
//! | device | description |
//! |---|---|
//! | `cpu` | this processor, all cores of the current thread pool |
//! | `sim` | a card simulated from its RTL, in a process that is started and stopped |
//! | `sim:PATH` | a simulated card that already listens on this Unix socket |
//! | `xdma:PREFIX` | a card behind the Xilinx XDMA driver, e.g. `xdma:/dev/xdma0` |
//! | `f2:ADDRESS` | a card behind the shell of an AWS F2 instance, e.g. `f2:0000:34:00.0` |
//! | `uart:PATH[@BAUD]` | a card behind a serial line, e.g. `uart:/dev/ttyUSB0@921600` |
//! | `cuda:NUMBER` | an NVIDIA GPU, with the feature `cuda`, e.g. `cuda:0` |
//! | `cuda:NUMBER,NUMBER…`, `cuda:all` | several GPUs, which share the pieces of a batch |
//!
//! A device is a [`Registry`] of executors, one for each operation. To add a place, implement
//! [`halimede_arith::job::Executor`] in another crate and call [`Device::with_executors`]. Every
//! executor gets fallback, retries and samples.
//!
//! With the feature `ckks` a registry also has a place that runs CKKS programs: this processor, or
//! a card with the engine. `Device::programs` returns this place, followed by those of the
//! fallbacks, and `Registry::with_programs` registers another place.
//!
//! Devices are separate values, without global state; two of the same kind can be open at once.

pub mod call;
mod capabilities;
mod check;
mod crossover;
mod device;
mod entry;
mod examples;
mod execute;
pub mod flat;
#[cfg(feature = "cuda")]
mod gpu;
mod images;
mod list;
mod notices;
mod options;
mod parts;
#[cfg(feature = "ckks")]
mod programs;
mod selftest;
mod session;
pub mod simulator;
mod specification;
mod windows;

pub use capabilities::{
    Capabilities, CardIdentity, GpuCondition, GpuIdentity, GpuStatus, Kind, ProcessorCapabilities,
};
pub use check::SelfTestCheck;
pub use crossover::Crossover;
pub use device::{shared_processor, Device, DeviceFailure};
pub use entry::Entry;
pub use halimede_arith::job::interrupt;
pub use halimede_card::spec::{Capability, Interrupt, WINDOWS};
pub use halimede_card::{interrupt_mask, interrupts_of, EngineReport};
pub use halimede_places::processor::in_pool;
pub use halimede_places::{Engine, Registry};
pub use list::list;
pub use options::Options;
#[cfg(feature = "ckks")]
pub use programs::DevicePrograms;
pub use windows::{interrupts_by_name, Windows};
