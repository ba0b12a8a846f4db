# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Distributed work on Ray: sealing of Filecoin sectors, Poseidon trees of whole sectors, batch
verification, encrypted inference.

    import halimede_ray as spread

    spread.connect("10.0.0.1:6379")                  # a cluster of `ray start`; tokens by RAY_AUTH_MODE
    with spread.Pool(cpus=8) as pool:
        root = spread.tree_root("/data/sector.dat", arity=8, pool=pool, journal="roots", progress=True)
        for verdicts in spread.verify("schnorr", "/data/signatures.bin", pool=pool):
            print(verdicts.bad)                      # numbers of bad records, and reasons

`pip install halimede-ray` installs this package. It imports Ray only when a `Pool` is made, and
`import halimede` imports neither. docs/spread.md has the design, its limits and figures.

- **Workers** are Ray actors. Ray places them by CPUs, GPUs and the custom resource `halimede_card`,
  and restarts them on another machine after a failure. An actor holds its CPUs for its lifetime: a
  `Pool` leaves room by default, and releases everything when it is closed.
- **Work** is a range of a file, 64 MiB or more, that the worker reads itself, or content that is
  sent by reference through Ray's object store. A worker has at most two tasks at once.
- **Parts may run twice**, but take effect once: values return to the process that distributes the
  work, which uses one value per part. A `journal` stores the values. An entry is named by a hash of
  the part's description, and has the hash of the content; a later run uses the entry if a worker
  finds the same content.
- **Errors** name the part and the worker: `InputError` for input that every worker would refuse,
  `WorkError`, and `CapacityError` if no machine can hold a worker.
- **Secret keys** stay with their owner: workers get evaluation keys and ciphertexts. Anybody who
  can reach a cluster can run code on it, so keep tokens enabled and use a private network.

`LocalPool` runs the same jobs in this process, without Ray.
"""

from halimede_ray._cluster import CARD, connect
from halimede_ray._errors import CapacityError, Disagreement, InputError, SourceChanged, WorkError
from halimede_ray._infer import InferencePool, Network
from halimede_ray._pool import Pool
from halimede_ray._seal import precommit2
from halimede_ray._tasks import LocalPool, Standing
from halimede_ray._tree import tree_root
from halimede_ray._verify import KINDS, Kind, Verdicts, verify, verify_blocks

__all__ = [
    "CARD", "KINDS", "CapacityError", "Disagreement", "InferencePool", "InputError", "Kind", "LocalPool",
    "Network", "Pool", "SourceChanged", "Standing", "Verdicts", "WorkError", "connect", "precommit2",
    "tree_root", "verify", "verify_blocks",
]
