# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`halimede.nn` on devices: the processor's programs, and a GPU of the stand-in driver."""

import os
import subprocess
import sys
from pathlib import Path

import halimede
import numpy as np
import pytest
from halimede import ckks, nn

ROOT = Path(__file__).resolve().parents[2]
STANDIN = ROOT / "build" / "cuda-standin"
#: Trains and prints the weights, in a process whose driver is the stand-in.
PROGRAM = """
import sys
import halimede
import numpy as np
from halimede import ckks, nn

training = nn.LogisticTraining(6, 2, ckks.Parameters.build_insecure(1024, depth=6), iterations=1)
client = training.client()
keys = client.evaluation_keys()
x = np.arange(12).reshape(6, 2) / 12 - 0.4
sealed = client.encrypt(x, x[:, 0] > 0)
device = halimede.Device(sys.argv[1])
found = training.server(keys, device=device).train(sealed)
assert found.to_bytes() == training.server(keys).train(sealed).to_bytes()
print(client.decrypt(found).coefficients[0])
"""


def test_a_training_on_a_gpu_has_the_bits_of_the_processor() -> None:
    if not (STANDIN / "libcuda.so.1").exists():
        if "HALIMEDE_REQUIRE_CUDA_STANDIN" in os.environ:
            pytest.fail("the stand-in driver is missing; run `make cuda-standin`")
        pytest.skip("no stand-in driver; `make cuda-standin` builds it")
    environment = {**os.environ, "HALIMEDE_CUDA_LIBRARY": str(STANDIN / "libcuda.so.1"),
                   "HALIMEDE_GPU_KERNELS": str(STANDIN / "kernels")}
    done = subprocess.run([sys.executable, "-c", PROGRAM, "cuda:0"], env=environment, text=True,
                          capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    # Half of the samples are of each class: the gradient is that of the classes' means.
    assert abs(float(done.stdout) - 0.125) < 1e-3


def test_the_processor_is_a_device_too() -> None:
    x = np.arange(12).reshape(6, 2) / 12 - 0.4
    ring = ckks.Parameters.build_insecure(1024, depth=6)
    training = nn.LogisticTraining(6, 2, ring, iterations=1)
    client = training.client()
    with halimede.Device("cpu") as device:
        server = training.server(client.evaluation_keys(), device=device)
        weights = client.decrypt(server.train(client.encrypt(x, x[:, 0] > 0)))
    expected = training.in_plaintext(x, x[:, 0] > 0)
    assert np.abs(weights.coefficients - expected.coefficients).max() < 1e-3
