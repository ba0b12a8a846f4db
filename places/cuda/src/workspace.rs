// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Workspaces: what a piece of work has on a GPU. A workspace is a stream, and memory that the next
//! piece uses again. While one workspace computes, the host fills another one.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::context::Context;
use crate::error::CudaError;
use crate::memory::{bytes_of, Argument, Buffer, Pinned, Plain};
use crate::module::Function;
use crate::stream::Stream;

/// Memory grows in units of this number of bytes.
const UNIT: usize = 1 << 16;

/// The tables that kernels read, by engine and name. All workspaces share them.
#[derive(Default)]
pub(crate) struct Tables(Mutex<HashMap<(&'static str, u64), Table>>);

/// A `Buffer<T>`.
type Table = Arc<dyn Any + Send + Sync>;

/// Memory of the GPU, and pinned memory from or to which it is copied.
#[derive(Default)]
struct Slot {
    buffer: Option<Buffer<u8>>,
    pinned: Option<Pinned<u8>>,
    /// The bytes that the last [`Workspace::fetch`] copied.
    fetched: usize,
}

/// A stream and its memory. Memory has numbers, which a kernel chooses from 0 on; memory of
/// different kinds (input, scratch, output) is different.
pub struct Workspace {
    stream: Stream,
    engine: &'static str,
    tables: Arc<Tables>,
    functions: HashMap<&'static str, Function>,
    inputs: Vec<Slot>,
    scratch: Vec<Slot>,
    outputs: Vec<Slot>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("engine", &self.engine).finish_non_exhaustive()
    }
}

impl Workspace {
    pub(crate) fn new(context: &Arc<Context>, tables: &Arc<Tables>) -> Result<Self, CudaError> {
        Ok(Self {
            stream: Stream::new(context)?,
            engine: "",
            tables: Arc::clone(tables),
            functions: HashMap::new(),
            inputs: Vec::new(),
            scratch: Vec::new(),
            outputs: Vec::new(),
        })
    }

    /// Chooses the engine of the next piece.
    pub(crate) fn choose(&mut self, engine: &'static str) {
        self.engine = engine;
    }

    /// Frees all memory of pieces.
    pub(crate) fn shrink(&mut self) {
        self.inputs.clear();
        self.scratch.clear();
        self.outputs.clear();
    }

    /// Fills the input of a number, and begins to copy it to the GPU. Returns its address.
    ///
    /// # Errors
    /// [`CudaError::Memory`], or the error of the driver.
    pub fn input<T: Plain>(
        &mut self,
        number: usize,
        length: usize,
        fill: impl FnOnce(&mut [T]),
    ) -> Result<Argument, CudaError> {
        let context = Arc::clone(self.stream.context());
        let bytes = bytes_of::<T>(length)?;
        let slot = slot(&mut self.inputs, number);
        let (buffer, pinned) = (slot.buffer(&context, bytes)?, bytes);
        let pointer = Argument::from(buffer);
        let pinned = slot.pinned(&context, pinned)?;
        fill(cast_mut(pinned.write()?, length));
        if let (Some(buffer), Some(pinned)) = (&slot.buffer, &slot.pinned) {
            self.stream.upload_pinned(pinned, 0..bytes, buffer, 0)?;
        }
        Ok(pointer)
    }

    /// Returns the address of memory that only kernels use, with any values.
    ///
    /// # Errors
    /// [`CudaError::Memory`], or the error of the driver.
    pub fn scratch<T: Plain>(
        &mut self,
        number: usize,
        length: usize,
    ) -> Result<Argument, CudaError> {
        let context = Arc::clone(self.stream.context());
        let bytes = bytes_of::<T>(length)?;
        Ok(slot(&mut self.scratch, number).buffer(&context, bytes)?.into())
    }

    /// As [`Self::scratch`], with all elements zero.
    ///
    /// # Errors
    /// [`CudaError::Memory`], or the error of the driver.
    pub fn zeros<T: Plain>(&mut self, number: usize, length: usize) -> Result<Argument, CudaError> {
        let pointer = self.scratch::<T>(number, length)?;
        if let Some(buffer) = &self.scratch[number].buffer {
            self.stream.clear(buffer, 0..bytes_of::<T>(length)?)?;
        }
        Ok(pointer)
    }

    /// Returns the address of memory that kernels write and [`Self::fetch`] copies to the host.
    ///
    /// # Errors
    /// [`CudaError::Memory`], or the error of the driver.
    pub fn output<T: Plain>(
        &mut self,
        number: usize,
        length: usize,
    ) -> Result<Argument, CudaError> {
        let context = Arc::clone(self.stream.context());
        let bytes = bytes_of::<T>(length)?;
        Ok(slot(&mut self.outputs, number).buffer(&context, bytes)?.into())
    }

    /// Returns the address of a table that the kernels of this engine read. `make` makes it at the
    /// first use on this GPU; `name` is a number of the engine's choice.
    ///
    /// # Errors
    /// [`CudaError::Memory`], or the error of the driver.
    pub fn table<T: Plain>(
        &self,
        name: u64,
        make: impl FnOnce() -> Vec<T>,
    ) -> Result<Argument, CudaError> {
        let mut tables = self.tables.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.engine, name);
        let known = tables.get(&key).and_then(|table| table.downcast_ref::<Buffer<T>>());
        if let Some(table) = known {
            return Ok(table.into());
        }
        let values = make();
        let table = Buffer::new(self.stream.context(), values.len())?;
        self.stream.upload(&values, &table, 0)?;
        // The other workspaces use the table as well.
        self.stream.synchronize()?;
        let pointer = Argument::from(&table);
        tables.insert(key, Arc::new(table));
        Ok(pointer)
    }

    /// Returns a kernel of this engine.
    ///
    /// # Errors
    /// [`CudaError::NoKernels`], [`CudaError::Refused`], [`CudaError::NoFunction`].
    pub fn function(&mut self, name: &'static str) -> Result<&Function, CudaError> {
        if !self.functions.contains_key(name) {
            let function = self.stream.context().function(self.engine, name)?;
            self.functions.insert(name, function);
        }
        let missing = || CudaError::NoFunction { file: self.engine.to_owned(), function: name };
        self.functions.get(name).ok_or_else(missing)
    }

    /// Runs a kernel of this engine on at least this number of threads ([`Stream::launch`]).
    ///
    /// # Errors
    /// As [`Self::function`] and [`Stream::launch`].
    pub fn launch(
        &mut self,
        name: &'static str,
        threads: u64,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let function = self.function(name)?.clone();
        self.stream.launch(&function, threads, arguments)
    }

    /// Runs a kernel of this engine on this number of blocks.
    ///
    /// # Errors
    /// As [`Self::launch`].
    pub fn launch_blocks(
        &mut self,
        name: &'static str,
        blocks: u32,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let function = self.function(name)?.clone();
        self.stream.launch_blocks(&function, blocks, arguments)
    }

    /// Begins to copy the first elements of an output to the host.
    ///
    /// # Errors
    /// [`CudaError::Range`] for more than the output has, or the error of the driver.
    pub fn fetch<T: Plain>(&mut self, number: usize, length: usize) -> Result<(), CudaError> {
        let context = Arc::clone(self.stream.context());
        let bytes = bytes_of::<T>(length)?;
        let slot = slot(&mut self.outputs, number);
        slot.pinned(&context, bytes)?;
        slot.fetched = bytes;
        match (&slot.buffer, &mut slot.pinned) {
            (Some(buffer), Some(pinned)) => {
                self.stream.download_pinned(buffer, 0, pinned, 0..bytes)
            }
            _ => Err(CudaError::Range { start: 0, end: bytes, length: 0 }),
        }
    }

    /// Waits for an output that was fetched, and returns its elements.
    ///
    /// # Errors
    /// [`CudaError`], also of the work before the copy.
    pub fn fetched<T: Plain>(&self, number: usize) -> Result<&[T], CudaError> {
        match self.outputs.get(number).and_then(|slot| Some((slot.fetched, slot.pinned.as_ref()?)))
        {
            Some((bytes, pinned)) => Ok(cast(pinned.read()?, bytes / size_of::<T>())),
            None => Ok(&[]),
        }
    }

    /// Waits for all work of the workspace.
    ///
    /// # Errors
    /// [`CudaError`] of that work.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.stream.synchronize()
    }
}

impl Slot {
    /// The memory of the GPU, at least so large.
    fn buffer(&mut self, context: &Arc<Context>, bytes: usize) -> Result<&Buffer<u8>, CudaError> {
        match &mut self.buffer {
            Some(buffer) if buffer.len() >= bytes => {}
            other => {
                // First the old memory is freed.
                *other = None;
                *other = Some(Buffer::new(context, rounded(bytes))?);
            }
        }
        self.buffer.as_ref().ok_or(CudaError::Range { start: 0, end: bytes, length: 0 })
    }

    /// The pinned memory, at least so large.
    fn pinned(
        &mut self,
        context: &Arc<Context>,
        bytes: usize,
    ) -> Result<&mut Pinned<u8>, CudaError> {
        match &mut self.pinned {
            Some(pinned) if pinned.len() >= bytes => {}
            other => {
                *other = None;
                *other = Some(Pinned::new(context, rounded(bytes))?);
            }
        }
        self.pinned.as_mut().ok_or(CudaError::Range { start: 0, end: bytes, length: 0 })
    }
}

/// The slot of a number.
fn slot(slots: &mut Vec<Slot>, number: usize) -> &mut Slot {
    while slots.len() <= number {
        slots.push(Slot::default());
    }
    &mut slots[number]
}

fn rounded(bytes: usize) -> usize {
    bytes.max(1).checked_next_multiple_of(UNIT).unwrap_or(bytes)
}

/// The first elements of pinned memory, which begins at a page.
fn cast<T: Plain>(bytes: &[u8], length: usize) -> &[T] {
    assert!(length * size_of::<T>() <= bytes.len() && bytes.as_ptr().cast::<T>().is_aligned());
    // SAFETY: the length and the alignment are checked, and any bytes are values of `T`.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), length) }
}

/// The same, to be changed.
fn cast_mut<T: Plain>(bytes: &mut [u8], length: usize) -> &mut [T] {
    assert!(length * size_of::<T>() <= bytes.len() && bytes.as_ptr().cast::<T>().is_aligned());
    // SAFETY: as in `cast`, and any value of `T` is bytes.
    unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), length) }
}
