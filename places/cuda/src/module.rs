// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Modules: an engine's kernels, compiled by the driver, and their functions.

use std::ffi::{c_void, CString};
use std::fmt;
use std::sync::Arc;

use cudarc::driver::{result, sys, DriverError};

use crate::context::Context;
use crate::error::CudaError;
use crate::kernels::Ptx;

/// The size of the log of the driver's compiler, in bytes.
const LOG_BYTES: usize = 4096;

/// An engine's kernels on a GPU.
pub(crate) struct Module {
    raw: sys::CUmodule,
    file: String,
}

impl Module {
    /// Compiles PTX. The driver caches the result for later processes.
    pub fn load(context: &Context, ptx: &Ptx) -> Result<Self, CudaError> {
        let refused = |name: String, log: String| {
            let file = ptx.file.clone();
            CudaError::Refused { file, name, log }
        };
        let text = CString::new(ptx.text.clone());
        let text = text.map_err(|_| refused("a zero byte".into(), String::new()))?;
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // The driver reads the size from the pointer itself.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG_BYTES as *mut c_void];
        let mut raw = std::ptr::null_mut();
        let loaded = context.call("cuModuleLoadDataEx", || {
            // SAFETY: the text ends with a zero byte, and the arrays have the named number of
            // entries.
            let status = unsafe {
                sys::cuModuleLoadDataEx(
                    &mut raw,
                    text.as_ptr().cast(),
                    options.len() as u32,
                    options.as_mut_ptr(),
                    values.as_mut_ptr(),
                )
            };
            status.result()
        });
        let file = ptx.file.clone();
        match loaded {
            Ok(()) => Ok(Self { raw, file }),
            Err(CudaError::Call { name, .. }) if context.loss().is_none() => {
                let end = log.iter().position(|byte| *byte == 0).unwrap_or(LOG_BYTES);
                Err(refused(name, String::from_utf8_lossy(&log[..end]).into_owned()))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns a function with its limits and the sizes of its parameters.
    pub fn function(
        &self,
        context: &Arc<Context>,
        name: &'static str,
    ) -> Result<Function, CudaError> {
        let missing = || CudaError::NoFunction { file: self.file.clone(), function: name };
        let text = CString::new(name).map_err(|_| missing())?;
        // SAFETY: the module is loaded.
        let raw = context.call("cuModuleGetFunction", || unsafe {
            result::module::get_function(self.raw, text)
        });
        let raw = raw.map_err(|error| match context.loss() {
            None => missing(),
            Some(_) => error,
        })?;
        let attribute = |attribute| {
            // SAFETY: the function is the module's.
            context.call("cuFuncGetAttribute", || unsafe {
                result::function::get_function_attribute(raw, attribute)
            })
        };
        use sys::CUfunction_attribute as Attribute;
        // The largest block of the launch bounds.
        let threads = attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        let block = u32::try_from(threads).unwrap_or_default().max(1);
        let stack = attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?;
        let stack = usize::try_from(stack).unwrap_or_default();
        let mut parameters = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function is the module's, the pointers are valid for the call.
            let status =
                unsafe { sys::cuFuncGetParamInfo(raw, parameters.len(), &mut offset, &mut size) };
            // The end of the list is an error of the driver.
            match status.result() {
                Ok(()) => parameters.push(size),
                Err(_) => break,
            }
        }
        Ok(Function { raw, name, block, stack, parameters, context: Arc::clone(context) })
    }

    /// Unloads the module.
    ///
    /// # Safety
    /// No function of the module is used any more.
    pub unsafe fn unload(self) -> Result<(), DriverError> {
        // SAFETY: as the caller promises.
        unsafe { result::module::unload(self.raw) }
    }
}

/// A kernel.
#[derive(Clone)]
pub struct Function {
    raw: sys::CUfunction,
    name: &'static str,
    block: u32,
    /// The local memory of a thread, in bytes.
    stack: usize,
    /// The size of each parameter in bytes.
    parameters: Vec<usize>,
    /// Keeps the module loaded.
    context: Arc<Context>,
}

// SAFETY: as for `Context`.
unsafe impl Send for Function {}
// SAFETY: as for `Context`.
unsafe impl Sync for Function {}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, block, parameters, .. } = self;
        write!(f, "{name}: blocks of {block}, parameters of {parameters:?} bytes")
    }
}

impl Function {
    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of threads of a block: the function's launch bounds.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// Returns the local memory of a thread in bytes.
    pub fn stack(&self) -> usize {
        self.stack
    }

    pub(crate) fn raw(&self) -> sys::CUfunction {
        self.raw
    }

    /// Checks that the arguments have the number and the sizes of the parameters, and that the
    /// function belongs to this context.
    pub(crate) fn check(&self, context: &Context, sizes: &[usize]) -> Result<(), CudaError> {
        let reason = if !std::ptr::eq(context, &raw const *self.context) {
            "the function belongs to another context".to_owned()
        } else if sizes != self.parameters {
            let expected = &self.parameters;
            format!("the arguments have {sizes:?} bytes, the parameters {expected:?}")
        } else {
            return Ok(());
        };
        Err(CudaError::Launch { function: self.name, reason })
    }
}
