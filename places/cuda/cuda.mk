# SPDX-License-Identifier: Apache-2.0 OR MIT
# NVIDIA GPUs: the kernels, their budget, and the stand-in driver with which the tests run.

GPU_VENV := build/gpu-venv
GPU_REQUIREMENTS := places/cuda/tools/requirements.txt
GPU_STAMP := $(GPU_VENV)/.halimede-$(shell cksum < $(GPU_REQUIREMENTS) | cut -d' ' -f1)

.PHONY: gpu-venv gpu-kernels gpu-budget gpu-gate gpu-document cuda-standin test-gpu

gpu-venv: $(GPU_STAMP)
$(GPU_STAMP): $(GPU_REQUIREMENTS)
	$(PYTHON) -m venv $(GPU_VENV)
	$(GPU_VENV)/bin/pip install --quiet --disable-pip-version-check -r $(GPU_REQUIREMENTS)
	rm -f $(GPU_VENV)/.halimede-*
	touch $@

gpu-kernels: $(GPU_STAMP) ## compile the GPU kernels to PTX in build/gpu-kernels (downloads 130 MB once)
	$(PYTHON) -m places.cuda.tools.kernels

gpu-gate: $(GPU_STAMP) ## compare the registers and memory of the GPU kernels with the budget, for all compute capabilities
	$(PYTHON) -m places.cuda.tools.gate --measure

gpu-budget: $(GPU_STAMP) ## measure the GPU kernels, and write their budget
	$(PYTHON) -m places.cuda.tools.gate --update $(if $(ALLOW_STACK),--allow-stack)

cuda-standin: ## build the stand-in GPU driver, which runs the kernels on this processor
	$(PYTHON) -m places.cuda.tools.standin

# The program has the processor's kernels of any machine, for the comparison.
TEST_GPU := target/release/examples/test_gpu
test-gpu: export HALIMEDE_LANES := all
test-gpu: gpu-kernels ## pack a test of GPUs that needs no Rust, and run it if this machine has one
	cargo build $(CARGO_FLAGS) --release --features cuda,ckks -p halimede-device --example test_gpu
	strip -o $(TEST_GPU).stripped $(TEST_GPU)
	$(PYTHON) -m places.cuda.tools.pack $(TEST_GPU).stripped --run

gpu-document: ## write the results of a test of GPUs, RESULTS=results.json, to docs/benchmarks.md
	$(PYTHON) -m places.cuda.tools.results $(RESULTS)

test-rust: cuda-standin
test-rust: export HALIMEDE_REQUIRE_CUDA_STANDIN := 1
