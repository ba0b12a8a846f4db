// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Missing and failing drivers, GPUs and kernels.

use std::process::Command;

use halimede_cuda::kernels::Source;
use halimede_cuda::{Buffer, Context, CudaError, Gpu, GpuInfo, GpuOptions, Stream};

use crate::common::standin::{folder, TestGpu};

/// The variable that makes a test of this program the child of another one.
const CHILD: &str = "HALIMEDE_TEST_CHILD";

/// Runs the test `child_opens_a_gpu` in a separate process, and returns what it printed.
fn child(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "errors::child_opens_a_gpu", "--nocapture"]).env(CHILD, "1");
    command.env_remove(halimede_cuda::LIBRARY);
    command.env_remove(halimede_cuda::kernels::FOLDER);
    for (name, value) in variables {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let answer = text.lines().find_map(|line| line.split_once("GPU 0: "));
    answer.unwrap_or_else(|| panic!("{text}")).1.to_owned()
}

#[test]
fn child_opens_a_gpu() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    match Gpu::open(0, &GpuOptions::default()) {
        Ok(gpu) => println!("GPU 0: {:?}", gpu.info()),
        Err(error) => println!("GPU 0: {error}"),
    }
}

#[test]
fn what_is_missing_is_named() {
    let Some(folder) = folder() else { return };
    let library = folder.join("libcuda.so.1").display().to_string();
    let kernels = folder.join("kernels").display().to_string();
    let answer = |settings: &str| {
        child(&[
            ("HALIMEDE_CUDA_LIBRARY", &library),
            ("HALIMEDE_GPU_KERNELS", &kernels),
            ("HALIMEDE_CUDA_STANDIN", settings),
        ])
    };
    let found = answer("name=Test 1,capability=121,version=13010");
    assert!(found.contains("Test 1") && found.contains("(12, 1)") && found.contains("(13, 1)"));
    assert_eq!(answer("devices=0"), "no GPU 0: the driver has 0 (numbered from 0)");
    let old = answer("version=12070");
    assert!(old.starts_with("the NVIDIA driver is of CUDA 12.7, the kernels need 12.8"), "{old}");
    let old = answer("capability=75");
    assert!(old.contains("has compute capability 7.5, the kernels need 8.0"), "{old}");
    let missing = child(&[("HALIMEDE_CUDA_LIBRARY", "/nowhere/libcuda.so.1")]);
    assert!(missing.starts_with("no NVIDIA driver: HALIMEDE_CUDA_LIBRARY=/nowhere"), "{missing}");
    // A library of something else.
    let other = child(&[("HALIMEDE_CUDA_LIBRARY", "libc.so.6")]);
    assert!(other.contains("its library lacks the function cuInit"), "{other}");
    let none = child(&[("HALIMEDE_CUDA_LIBRARY", &library), ("HALIMEDE_GPU_KERNELS", "/nowhere")]);
    assert!(
        none.starts_with("no GPU kernels: HALIMEDE_GPU_KERNELS=/nowhere has no such"),
        "{none}"
    );
}

#[test]
fn an_unknown_number_or_name_is_an_error() {
    let Some(test) = TestGpu::next() else { return };
    assert!(matches!(GpuInfo::of(64), Err(CudaError::NoGpu { ordinal: 64, count: 64 })));
    assert!(matches!(GpuInfo::of(u32::MAX), Err(CudaError::NoGpu { .. })));
    let gpu = test.open().unwrap();
    let context = gpu.context().unwrap();
    let error = context.function("loopback", "loopback_missing").unwrap_err();
    assert!(matches!(error, CudaError::NoFunction { .. }), "{error}");
    let error = context.function("sha9", "sha9_hash").unwrap_err();
    assert!(matches!(error, CudaError::NoKernels { engine: Some("sha9"), .. }), "{error}");
}

#[test]
fn kernels_that_the_driver_refuses_come_with_its_messages() {
    let Some(test) = TestGpu::next() else { return };
    test.configure("refuse=1");
    let error = test.open().unwrap().context().unwrap();
    let error = error.function("loopback", "loopback_echo").unwrap_err().to_string();
    assert!(error.contains("CUDA_ERROR_INVALID_PTX: ptxas: refused"), "{error}");

    let bad = std::env::temp_dir().join(format!("halimede-ptx-{}", std::process::id()));
    std::fs::create_dir_all(&bad).unwrap();
    let loaded = |text: &[u8]| {
        std::fs::write(bad.join("loopback.compute_80.ptx"), text).unwrap();
        let test = TestGpu::next().unwrap();
        let options = GpuOptions { kernels: Source::Folder(bad.clone()), memory_limit: None };
        let gpu = Gpu::open(test.ordinal, &options).unwrap();
        let error = gpu.context().unwrap().function("loopback", "loopback_echo").unwrap_err();
        error.to_string()
    };
    let newer = loaded(b".version 9.9\n.target sm_80\n");
    assert!(newer.contains("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"), "{newer}");
    let other = loaded(b".version 8.7\n.target sm_120\n");
    assert!(other.contains("CUDA_ERROR_NO_BINARY_FOR_GPU"), "{other}");
    let bytes = loaded(b".version\0");
    assert!(bytes.contains("it is not text"), "{bytes}");
    std::fs::remove_dir_all(&bad).unwrap();
}

#[test]
fn too_little_memory_says_what_would_fit() {
    let Some(test) = TestGpu::next() else { return };
    test.configure("memory=1000000");
    let gpu = test.open_with(Some(600_000)).unwrap();
    let context = gpu.context().unwrap();
    let held = Buffer::<u8>::new(&context, 400_000).unwrap();
    let error = Buffer::<u32>::new(&context, 50_001).unwrap_err();
    let expected = CudaError::Memory { wanted: 200_004, used: 400_000, limit: 600_000, free: None };
    assert_eq!(error, expected);
    assert!(error.to_string().ends_with("200000 would fit"), "{error}");
    assert_eq!(context.available().unwrap(), 200_000);
    assert!(Buffer::<u64>::new(&context, usize::MAX).is_err());
    Buffer::<u32>::new(&context, 50_000).unwrap();
    drop(held);
    Buffer::<u8>::new(&context, 600_000).unwrap();
    // Another program has the memory.
    let other = TestGpu { ordinal: test.ordinal, ..TestGpu::next().unwrap() };
    let rest = other.open_with(Some(usize::MAX)).unwrap();
    let rest = rest.context().unwrap();
    let _theirs = Buffer::<u8>::new(&rest, 900_000).unwrap();
    let error = Buffer::<u8>::new(&context, 200_000).unwrap_err();
    assert!(matches!(error, CudaError::Memory { free: Some(99_000..=100_000), .. }), "{error:?}");
}

/// Runs the kernel until it fails.
fn echo(context: &std::sync::Arc<Context>) -> Result<(), CudaError> {
    let stream = Stream::new(context)?;
    let buffer = Buffer::<u32>::new(context, 10)?;
    let function = context.function("loopback", "loopback_echo")?;
    let pointer = (&buffer).into();
    stream.launch(&function, 1, &[10u64.into(), pointer, pointer])?;
    stream.synchronize()
}

#[test]
fn an_access_outside_of_the_memory_is_an_illegal_address() {
    let Some(test) = TestGpu::next() else { return };
    test.configure("recovers=1");
    let gpu = test.open().unwrap();
    for (from, to, words) in [(10, 10, 2000u64), (0x10, 10, 1), (11, 10, 11)] {
        let context = gpu.context().unwrap();
        let stream = Stream::new(&context).unwrap();
        let function = context.function("loopback", "loopback_echo").unwrap();
        let (source, target) = (
            Buffer::<u32>::new(&context, from).unwrap(),
            Buffer::<u32>::new(&context, to).unwrap(),
        );
        let from = if from == 0x10 { 64u64.into() } else { (&source).into() };
        let arguments = [words.into(), from, (&target).into()];
        stream.launch(&function, 1, &arguments).unwrap();
        let error = stream.synchronize().unwrap_err();
        assert!(error.to_string().contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{error}");
        // Every later call has the same error.
        assert_eq!(echo(&context).unwrap_err(), error);
        drop((context, stream, function, source, target));
        echo(&gpu.context().unwrap()).unwrap();
    }
}

#[test]
fn a_lost_gpu_stays_lost_or_is_opened_again() {
    for (fault, recovers) in
        [("launch_failure=2", true), ("launch_failure=2", false), ("lost=30", false)]
    {
        let Some(test) = TestGpu::next() else { return };
        test.configure(&format!("recovers={}", u8::from(recovers)));
        test.configure(fault);
        let gpu = test.open().unwrap();
        let mut context = gpu.context().unwrap();
        let error = (0..100).find_map(|_| echo(&context).err()).unwrap();
        assert_eq!(context.loss(), Some(&error));
        if recovers {
            // Somebody still holds the old context.
            let lost = gpu.context().unwrap_err();
            assert!(matches!(lost, CudaError::Lost { .. }), "{lost}");
            drop(context);
            context = gpu.context().unwrap();
            echo(&context).unwrap();
        } else {
            drop(context);
            let lost = gpu.context().unwrap_err().to_string();
            assert!(lost.starts_with("the GPU is lost: "), "{lost}");
        }
    }
}
