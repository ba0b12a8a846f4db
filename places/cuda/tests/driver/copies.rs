// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Copies and launches.

use halimede_cuda::{Argument, Buffer, CudaError, Event, Graph, Pinned, Stream};

use crate::common::standin::TestGpu;

/// Words that differ from each other.
fn words(count: usize, seed: u32) -> Vec<u32> {
    (0..count as u32).map(|word| word.wrapping_mul(0x9E37_79B9) ^ seed).collect()
}

#[test]
fn a_kernel_copies_any_number_of_words() {
    let Some(test) = TestGpu::next() else { return };
    let gpu = test.open().unwrap();
    let context = gpu.context().unwrap();
    let stream = Stream::new(&context).unwrap();
    let echo = context.function("loopback", "loopback_echo").unwrap();
    assert_eq!(echo.block(), 256);
    for count in [0, 1, 31, 32, 255, 256, 257, 1000, 70_000] {
        let sent = words(count, 7);
        let from = Buffer::<u32>::new(&context, count).unwrap();
        let to = Buffer::<u32>::new(&context, count).unwrap();
        stream.upload(&sent, &from, 0).unwrap();
        for threads in [0, 1, 256, 1000] {
            stream.clear(&to, 0..count).unwrap();
            let arguments = [(count as u64).into(), (&from).into(), (&to).into()];
            stream.launch(&echo, threads, &arguments).unwrap();
            let mut got = vec![1; count];
            stream.download(&to, 0, &mut got).unwrap();
            let expected = if threads == 0 { vec![0; count] } else { sent.clone() };
            assert_eq!(got, expected, "{count} words, {threads} threads");
        }
    }
    assert_eq!(context.used(), 0);
}

/// The stacks of all threads count as used memory, once, against the limit and the GPU's memory.
#[test]
fn stacks_of_kernels_count_as_memory() {
    let stacks = 1000 * 4 * 2048;
    let launch = |limit: usize, setting: &str| {
        let test = TestGpu::next()?;
        test.configure("stack=1000");
        test.configure(setting);
        let gpu = test.open_with(Some(limit)).unwrap();
        let context = gpu.context().unwrap();
        let done = context.function("loopback", "loopback_echo").and_then(|echo| {
            assert_eq!((echo.stack(), context.used()), (1000, stacks));
            let stream = Stream::new(&context)?;
            let (from, to) = (Buffer::<u32>::new(&context, 7)?, Buffer::<u32>::new(&context, 7)?);
            stream.upload(&words(7, 1), &from, 0)?;
            for _ in 0..2 {
                stream.launch(&echo, 7, &[7u64.into(), (&from).into(), (&to).into()])?;
            }
            let mut got = vec![0; 7];
            stream.download(&to, 0, &mut got)?;
            assert_eq!(got, words(7, 1));
            context.function("loopback", "loopback_echo").map(drop)
        });
        assert_eq!(context.used(), if done.is_ok() || limit > stacks { stacks } else { 0 });
        Some(done)
    };
    let Some(done) = launch(stacks + 100, "memory=10000000") else { return };
    done.unwrap();
    let error = launch(stacks - 1, "memory=10000000").unwrap().unwrap_err();
    let CudaError::Memory { wanted, used, limit, .. } = error else { panic!("{error}") };
    assert_eq!((wanted, used, limit), (stacks, 0, stacks - 1));
    // Within the limit, but larger than the memory of the GPU.
    let error = launch(1 << 30, "memory=8000000").unwrap().unwrap_err().to_string();
    assert!(error.contains("CUDA_ERROR_OUT_OF_MEMORY"), "{error}");
}

#[test]
fn ranges_are_copied_and_checked() {
    let Some(test) = TestGpu::next() else { return };
    let gpu = test.open().unwrap();
    let context = gpu.context().unwrap();
    let stream = Stream::new(&context).unwrap();
    let (one, other) =
        (Buffer::<u64>::new(&context, 100).unwrap(), Buffer::<u64>::new(&context, 100).unwrap());
    let sent: Vec<u64> = (0..40).map(|word| word * word + 1).collect();
    stream.upload(&sent, &one, 60).unwrap();
    stream.clear(&other, 0..100).unwrap();
    stream.copy(&one, 60..90, &other, 5).unwrap();
    let mut got = vec![9; 40];
    stream.download(&other, 0, &mut got).unwrap();
    let expected: Vec<u64> = [&[0; 5][..], &sent[..30], &[0; 5][..]].concat();
    assert_eq!(got, expected);
    let range = |error: Result<(), CudaError>| match error.unwrap_err() {
        CudaError::Range { start, end, length } => (start, end, length),
        other => panic!("{other}"),
    };
    assert_eq!(range(stream.upload(&sent, &one, 61)), (61, 101, 100));
    assert_eq!(range(stream.download(&one, 90, &mut got)), (90, 130, 100));
    assert_eq!(range(stream.copy(&one, 0..101, &other, 0)), (0, 101, 100));
    assert_eq!(range(stream.copy(&one, 0..50, &other, 51)), (51, 101, 100));
    assert_eq!(range(stream.clear(&one, 100..101)), (100, 101, 100));
    assert!(one.at(101).is_err() && one.at(100).is_ok());
}

#[test]
fn streams_wait_for_events_of_other_streams() {
    let Some(test) = TestGpu::next() else { return };
    let gpu = test.open().unwrap();
    let context = gpu.context().unwrap();
    let echo = context.function("loopback", "loopback_echo").unwrap();
    let (first, second) = (Stream::new(&context).unwrap(), Stream::new(&context).unwrap());
    let count = 5000;
    let buffers: Vec<Buffer<u32>> = (0..3).map(|_| Buffer::new(&context, count).unwrap()).collect();
    let run = |stream: &Stream, from: usize| {
        let count = Argument::from(count as u64);
        let arguments = [count, (&buffers[from]).into(), (&buffers[from + 1]).into()];
        stream.launch(&echo, 512, &arguments).unwrap();
    };
    let event = Event::new(&context).unwrap();
    event.synchronize().unwrap();
    for seed in 0..3 {
        let sent = words(count, seed);
        let mut pinned = Pinned::<u32>::new(&context, count).unwrap();
        let mut back = Pinned::<u32>::new(&context, count).unwrap();
        pinned.write().unwrap().copy_from_slice(&sent);
        first.upload_pinned(&pinned, 0..count, &buffers[0], 0).unwrap();
        run(&first, 0);
        first.record(&event).unwrap();
        second.wait(&event).unwrap();
        run(&second, 1);
        second.download_pinned(&buffers[2], 0, &mut back, 0..count).unwrap();
        // Waits for the copy to the GPU before it changes the words.
        pinned.write().unwrap().fill(0);
        assert_eq!(back.read().unwrap(), sent);
    }
}

#[test]
fn a_launch_has_the_arguments_of_its_function() {
    let Some(test) = TestGpu::next() else { return };
    let gpu = test.open().unwrap();
    let context = gpu.context().unwrap();
    let stream = Stream::new(&context).unwrap();
    let echo = context.function("loopback", "loopback_echo").unwrap();
    let buffer = Buffer::<u32>::new(&context, 1).unwrap();
    let pointer = Argument::from(&buffer);
    for arguments in [
        &[][..],
        &[1u64.into(), pointer],
        &[1u32.into(), pointer, pointer],
        &[1u64.into(), pointer, pointer, pointer],
    ] {
        let error = stream.launch(&echo, 1, arguments).unwrap_err();
        assert!(matches!(error, CudaError::Launch { .. }), "{error}");
    }
    let arguments = [1u64.into(), pointer, pointer];
    let error = stream.launch(&echo, u64::MAX, &arguments).unwrap_err();
    assert!(error.to_string().contains("a grid has at most 2147483647"), "{error}");
    stream.launch(&echo, 1, &arguments).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn a_graph_repeats_its_work() {
    let Some(test) = TestGpu::next() else { return };
    let gpu = test.open().unwrap();
    let context = gpu.context().unwrap();
    let stream = Stream::new(&context).unwrap();
    let echo = context.function("loopback", "loopback_echo").unwrap();
    let count = 300;
    let buffers: Vec<Buffer<u32>> = (0..4).map(|_| Buffer::new(&context, count).unwrap()).collect();
    let graph = Graph::record(&stream, |stream| {
        for pair in buffers[..3].windows(2) {
            let arguments = [(count as u64).into(), (&pair[0]).into(), (&pair[1]).into()];
            stream.launch(&echo, 64, &arguments)?;
        }
        stream.copy(&buffers[2], 0..count, &buffers[3], 0)
    })
    .unwrap();
    for seed in 0..4 {
        let sent = words(count, seed);
        stream.upload(&sent, &buffers[0], 0).unwrap();
        let mut got = vec![0; count];
        stream.download(&buffers[3], 0, &mut got).unwrap();
        assert_ne!(got, sent);
        graph.launch(&stream).unwrap();
        stream.download(&buffers[3], 0, &mut got).unwrap();
        assert_eq!(got, sent);
    }
    let error = Graph::record(&stream, Stream::synchronize).unwrap_err();
    assert!(error.to_string().contains("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"), "{error}");
    stream.synchronize().unwrap();
}
