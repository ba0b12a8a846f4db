# SPDX-License-Identifier: Apache-2.0 OR MIT
# NVIDIA GPUs: the kernels, their budget, and the stand-in driver with which the tests run.

GPU_VENV := build/gpu-venv
GPU_REQUIREMENTS := places/cuda/tools/requirements.txt
GPU_STAMP := $(GPU_VENV)/.halimede-$(shell cksum < $(GPU_REQUIREMENTS) | cut -d' ' -f1)

.PHONY: gpu-venv gpu-kernels gpu-budget gpu-gate cuda-standin

gpu-venv: $(GPU_STAMP)
$(GPU_STAMP): $(GPU_REQUIREMENTS)
	$(PYTHON) -m venv $(GPU_VENV)
	$(GPU_VENV)/bin/pip install --quiet --disable-pip-version-check -r $(GPU_REQUIREMENTS)
	rm -f $(GPU_VENV)/.halimede-*
	touch $@

gpu-kernels: $(GPU_STAMP) ## compile the GPU kernels to PTX in build/gpu-kernels (downloads 130 MB once)
	$(PYTHON) -m places.cuda.tools.kernels

gpu-gate: $(GPU_STAMP) ## compile the GPU kernels, and compare their registers and memory with the budget
	$(PYTHON) -m places.cuda.tools.gate --measure

gpu-budget: $(GPU_STAMP) ## measure the GPU kernels that changed, and write their budget
	$(PYTHON) -m places.cuda.tools.gate --update

cuda-standin: ## build the stand-in GPU driver, which runs the kernels on this processor
	$(PYTHON) -m places.cuda.tools.standin

test-rust: cuda-standin
test-rust: export HALIMEDE_REQUIRE_CUDA_STANDIN := 1
