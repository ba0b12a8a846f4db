// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The stand-in driver for tests.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::OnceLock;

use halimede_cuda::kernels::Source;
use halimede_cuda::{CudaError, Gpu, GpuOptions};
use libloading::Library;

/// The number of simulated GPUs, one for each test.
const GPUS: u32 = 64;

/// The folder of the stand-in driver; `None` skips a test, unless the environment requires it.
pub fn folder() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The tests of another crate use this file as well.
    let root = own.ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(own);
    let folder = root.join("build/cuda-standin");
    if folder.join("libcuda.so.1").exists() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("HALIMEDE_REQUIRE_CUDA_STANDIN").is_none(),
        "the stand-in driver is missing; run `make cuda-standin`"
    );
    eprintln!("skipped: the stand-in driver is missing (`make cuda-standin`)");
    None
}

/// Loads the stand-in driver, once.
fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let load = || {
        let path = folder()?.join("libcuda.so.1");
        std::env::set_var(halimede_cuda::LIBRARY, &path);
        std::env::set_var(halimede_cuda::kernels::FOLDER, folder()?.join("kernels"));
        std::env::set_var("HALIMEDE_CUDA_STANDIN", format!("devices={GPUS}"));
        // SAFETY: the library initializes nothing when it is loaded.
        Some(unsafe { Library::new(path) }.unwrap())
    };
    LIBRARY.get_or_init(load).as_ref()
}

/// A GPU that no other test uses.
pub struct TestGpu {
    pub ordinal: u32,
    pub library: &'static Library,
}

impl TestGpu {
    /// Returns the name of the device.
    pub fn name(&self) -> String {
        format!("cuda:{}", self.ordinal)
    }

    /// Takes the next GPU.
    pub fn next() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let library = library()?;
        // The driver reads the number of GPUs when it is used for the first time.
        halimede_cuda::count().unwrap();
        let ordinal = NEXT.fetch_add(1, Ordering::Relaxed);
        assert!(ordinal < GPUS);
        Some(Self { ordinal, library })
    }

    /// Changes a setting of the GPU, e.g. `lost=7`.
    pub fn configure(&self, setting: &str) {
        let text = CString::new(format!("{}.{setting}", self.ordinal)).unwrap();
        // SAFETY: the function has this type.
        let status = unsafe {
            let function = self
                .library
                .get::<unsafe extern "C" fn(*const std::ffi::c_char) -> u32>(
                    "halimede_standin_configure",
                )
                .unwrap();
            function(text.as_ptr())
        };
        assert_eq!(status, 0, "{setting}");
    }

    /// Opens the GPU with the kernels' names of the stand-in driver.
    pub fn open(&self) -> Result<Gpu, CudaError> {
        self.open_with(None)
    }

    /// The same, with a limit of memory.
    pub fn open_with(&self, memory_limit: Option<usize>) -> Result<Gpu, CudaError> {
        let kernels = Source::Folder(folder().unwrap().join("kernels"));
        Gpu::open(self.ordinal, &GpuOptions { kernels, memory_limit })
    }
}
