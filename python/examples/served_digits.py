# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A client of a served network: encrypts digits, sends them to `halimede serve`, and decrypts the
labels. The service sees neither the digits nor the labels.

    python python/examples/encrypted_digits.py --write digits   # digits.onnx and samples
    halimede ckks compile digits/digits.onnx --calibrate digits/samples-*.csv --params n15 \\
        --no-guard --out digits.network
    halimede serve --store store --network digits.network &
    python python/examples/served_digits.py --images 3
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np
from halimede import nn
from halimede.client import Client
from numpy.typing import NDArray
from sklearn.datasets import load_digits

TRAINED = 1200
"""The number of training images in `encrypted_digits.py`; all others are test images."""


@dataclass
class Result:
    """The labels from the service, and the true digits."""

    labels: list[int | str | None]
    digits: list[int]


def run(
    url: str, count: int, token: str | None = None, *, insecure: bool = False, progress: bool = False
) -> Result:
    """Sends encrypted digits to the first network of a service."""
    client = Client(url, token=token)
    network = client.networks()[0]
    interface = nn.Interface.load(client.interface(network), insecure=insecure)
    owner = interface.client()
    keys = client.upload("ckks-keys", owner.evaluation_keys().to_bytes())
    images: NDArray[np.float64]
    images, digits = load_digits(return_X_y=True)
    images, digits = images[TRAINED:][:count] / 16, digits[TRAINED:][:count]
    labels: list[int | str | None] = []
    for image in images:
        run = client.start_run(network, keys, owner.encrypt(image).to_bytes())
        for state in client.run_events(run):
            if progress:
                print(f"\r{state['state']}, {state['done']} of {state['steps']} steps\x1b[K", end="", file=sys.stderr)
        sealed = nn.Sealed.load(client.run_result(run), interface.parameters)
        client.remove_run(run)
        labels.append(owner.decrypt(sealed).label)
    client.remove(keys)
    return Result(labels, [int(digit) for digit in digits])


def main() -> None:
    """Prints the labels."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8480", help="the service")
    parser.add_argument("--token", help="a token of the service")
    parser.add_argument("--images", type=int, default=3, help="number of encrypted images")
    parser.add_argument("--insecure", action="store_true", help="accept insecure parameters, for tests")
    options = parser.parse_args()
    result = run(options.url, options.images, options.token, insecure=options.insecure, progress=True)
    print(file=sys.stderr)
    right = sum(a == b for a, b in zip(result.labels, result.digits))
    print(f"labels {result.labels}, {right} of {len(result.digits)} right")


if __name__ == "__main__":
    main()
