# SPDX-License-Identifier: Apache-2.0 OR MIT
# NVIDIA GPUs: the stand-in driver with which the tests run.

.PHONY: cuda-standin

cuda-standin: ## build the stand-in GPU driver, which runs the kernels on this processor
	$(PYTHON) -m places.cuda.tools.standin

test-rust: cuda-standin
test-rust: export HALIMEDE_REQUIRE_CUDA_STANDIN := 1
