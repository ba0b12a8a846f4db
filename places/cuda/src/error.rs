// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of GPUs.

use cudarc::driver::sys::CUresult;
use cudarc::driver::DriverError;

/// The reason why a GPU did not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The driver's library is missing or unusable.
    #[error("no NVIDIA driver: {reason}")]
    NoDriver {
        /// The library that was looked for, and what to do.
        reason: String,
    },
    /// The driver is older than the kernels.
    #[error(
        "the NVIDIA driver is of CUDA {}.{}, the kernels need {}.{} or later; update the driver",
        found.0, found.1, needed.0, needed.1
    )]
    OldDriver {
        /// The driver's version of CUDA, major and minor.
        found: (u32, u32),
        /// The oldest version that works.
        needed: (u32, u32),
    },
    /// The machine has no GPU of this number.
    #[error("no GPU {ordinal}: the driver has {count} (numbered from 0)")]
    NoGpu {
        /// The number of the GPU.
        ordinal: u32,
        /// The number of GPUs.
        count: u32,
    },
    /// The GPU is older than the kernels.
    #[error("{gpu} has compute capability {}.{}, the kernels need {}.{} or later",
        found.0, found.1, needed.0, needed.1)]
    OldGpu {
        /// The name of the GPU.
        gpu: String,
        /// Its compute capability, major and minor.
        found: (u32, u32),
        /// The lowest that works.
        needed: (u32, u32),
    },
    /// This build has no kernels, or none of this engine.
    #[error("no GPU kernels{}: {advice}", of_engine(*engine))]
    NoKernels {
        /// The engine, if other engines have kernels.
        engine: Option<&'static str>,
        /// How to get them.
        advice: String,
    },
    /// The driver does not accept an engine's kernels.
    #[error("the driver refused the kernels {file}: {name}{}", detail(log))]
    Refused {
        /// The name of the kernels' file.
        file: String,
        /// The driver's name of the error.
        name: String,
        /// The messages of the driver's compiler.
        log: String,
    },
    /// An engine's kernels lack a function.
    #[error("the kernels {file} have no function {function}; make them anew (`make gpu-kernels`)")]
    NoFunction {
        /// The name of the kernels' file.
        file: String,
        /// The name of the function.
        function: &'static str,
    },
    /// The output of kernels is not a valid reply.
    #[error("a reply of the kernels of {engine} is not valid: {reason}")]
    Reply {
        /// The engine.
        engine: &'static str,
        /// The invalid part.
        reason: String,
    },
    /// A launch that no GPU can do, or with other arguments than the function's.
    #[error("cannot launch {function}: {reason}")]
    Launch {
        /// The name of the function.
        function: &'static str,
        /// The mistake, with the numbers.
        reason: String,
    },
    /// A copy outside a buffer.
    #[error("elements {start}..{end} are outside a buffer of {length} elements")]
    Range {
        /// The first element.
        start: usize,
        /// The end of the elements.
        end: usize,
        /// The length of the buffer.
        length: usize,
    },
    /// Memory of a context that was lost.
    #[error("the memory belongs to another context of the GPU, which was lost")]
    OtherContext,
    /// A ciphertext that was only on a GPU whose context was lost.
    #[error(
        "the ciphertext was only on the GPU, and was lost with its context; compute it again from \
         its inputs (those that were uploaded or downloaded are still there)"
    )]
    LostCiphertext,
    /// The data do not fit into the GPU's memory.
    #[error(
        "{wanted} bytes do not fit into the memory of the GPU: {used} of at most {limit} bytes are \
         in use, {} would fit", fits(*used, *limit, *free)
    )]
    Memory {
        /// The bytes that were requested.
        wanted: usize,
        /// The bytes in use by this device.
        used: usize,
        /// The most bytes that this device may use.
        limit: usize,
        /// The bytes that the driver reports as free, if it was asked.
        free: Option<usize>,
    },
    /// A call of the driver failed.
    #[error("{call}: {name} ({text})")]
    Call {
        /// The function of the driver.
        call: &'static str,
        /// The number of the error.
        code: u32,
        /// The driver's name of the error.
        name: String,
        /// The driver's description of the error.
        text: String,
    },
    /// The GPU does not work any more in this process.
    #[error("the GPU is lost: {reason}")]
    Lost {
        /// The error that lost it.
        reason: String,
    },
}

/// The number of bytes that fit at once.
fn fits(used: usize, limit: usize, free: Option<usize>) -> usize {
    limit.saturating_sub(used).min(free.unwrap_or(usize::MAX))
}

/// Names an engine.
fn of_engine(engine: Option<&str>) -> String {
    engine.map_or_else(String::new, |name| format!(" of {name}"))
}

fn detail(log: &str) -> String {
    match log.trim() {
        "" => String::new(),
        log => format!(": {log}"),
    }
}

impl CudaError {
    /// Converts the error of a call.
    pub(crate) fn of_call(call: &'static str, error: DriverError) -> Self {
        let text = |found: Result<&std::ffi::CStr, DriverError>, default: &str| match found {
            Ok(text) => text.to_string_lossy().into_owned(),
            Err(_) => default.to_owned(),
        };
        let code = error.0 as u32;
        let name = text(error.error_name(), &format!("{:?}", error.0));
        let text = text(error.error_string(), "no description");
        Self::Call { call, code, name, text }
    }

    /// Returns the number of a failed call's error.
    fn code(&self) -> Option<u32> {
        match self {
            Self::Call { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Returns `true` if the driver is out of memory.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        self.code() == Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32)
    }

    /// Returns `true` if every later call on the same context fails too (CUDA driver API, "Data
    /// types used by CUDA driver", `CUresult`).
    pub(crate) fn is_sticky(&self) -> bool {
        const STICKY: [CUresult; 16] = [
            CUresult::CUDA_ERROR_DEINITIALIZED,
            CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE,
            CUresult::CUDA_ERROR_INVALID_CONTEXT,
            CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
            CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
            CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
            CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
            CUresult::CUDA_ERROR_ASSERT,
            CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
            CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
            CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
            CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
            CUresult::CUDA_ERROR_INVALID_PC,
            CUresult::CUDA_ERROR_LAUNCH_FAILED,
            CUresult::CUDA_ERROR_UNKNOWN,
        ];
        self.code().is_some_and(|code| STICKY.iter().any(|sticky| *sticky as u32 == code))
    }
}
