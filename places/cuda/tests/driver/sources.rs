// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The choice of PTX files, and the files that are packed into the library.

use halimede_cuda::kernels::{Source, CAPABILITIES};
use halimede_cuda::CudaError;

#[test]
fn a_gpu_gets_the_kernels_of_the_highest_capability_that_it_has() {
    let folder = std::env::temp_dir().join(format!("halimede-kernels-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = Source::Folder(folder.clone());
    assert!(matches!(source.check(), Err(CudaError::NoKernels { engine: None, .. })));
    let add = |name: &str| std::fs::write(folder.join(name), format!("// {name}\n")).unwrap();
    add("one.compute_80.ptx");
    add("one.compute_120.ptx");
    add("two.compute_90.ptx");
    add("three.compute_90.txt");
    assert_eq!(source.engines(), ["one", "two"]);
    source.check().unwrap();
    let file = |engine, capability| source.read(engine, capability).map(|ptx| ptx.file);
    for (engine, capability, expected) in [
        ("one", (8, 0), "one.compute_80.ptx"),
        ("one", (8, 9), "one.compute_80.ptx"),
        ("one", (9, 0), "one.compute_80.ptx"),
        ("one", (10, 0), "one.compute_80.ptx"),
        ("one", (12, 0), "one.compute_120.ptx"),
        ("one", (12, 1), "one.compute_120.ptx"),
        ("two", (9, 0), "two.compute_90.ptx"),
        ("two", (12, 0), "two.compute_90.ptx"),
    ] {
        assert_eq!(file(engine, capability).unwrap(), expected, "{capability:?}");
    }
    for (engine, capability) in [("one", (7, 5)), ("two", (8, 9)), ("three", (12, 0))] {
        let error = file(engine, capability).unwrap_err();
        assert!(matches!(error, CudaError::NoKernels { engine: Some(_), .. }), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn packed_kernels_are_ptx_for_every_capability() {
    let source = Source::Packed;
    for engine in source.engines() {
        // The names of engines live as long as the program.
        let engine: &'static str = engine.leak();
        for capability in CAPABILITIES {
            let ptx = source.read(engine, capability).unwrap();
            let (major, minor) = capability;
            assert_eq!(ptx.file, format!("{engine}.compute_{major}{minor}.ptx"));
            let text = String::from_utf8(ptx.text).unwrap();
            assert!(text.contains(&format!("\n.target sm_{major}{minor}\n")), "{engine}");
            assert!(text.contains(&format!(".entry {engine}_")), "{engine}");
        }
    }
    if source.engines().is_empty() {
        let error = source.check().unwrap_err().to_string();
        assert!(error.contains("this build has none; run `make gpu-kernels`"), "{error}");
    }
}
