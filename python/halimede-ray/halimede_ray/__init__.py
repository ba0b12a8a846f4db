# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Work that is spread over machines, on Ray: Poseidon trees of whole sectors, verification in bulk,
encrypted inference.

    import halimede_ray as spread

    spread.connect("10.0.0.1:6379")                  # a cluster of `ray start`; tokens by RAY_AUTH_MODE
    with spread.Pool(cpus=8) as pool:
        root = spread.tree_root("/data/sector.dat", arity=8, pool=pool, journal="roots", progress=True)
        for verdicts in spread.verify("schnorr", "/data/signatures.bin", pool=pool):
            print(verdicts.bad)                      # numbers of bad records, and reasons

`import halimede` imports neither this nor Ray; what is here imports Ray when a `Pool` is made.
`pip install halimede-ray` installs it. docs/spread.md has the design, its limits and figures.

- **Workers** are actors of Ray, which places them by CPUs, GPUs and the custom resource
  `halimede_card`, and starts them anew on another machine after a death. An actor holds its CPUs for
  life: a `Pool` leaves room by default, and gives all back when it is closed.
- **Work** is a range of a file, 64 MiB or more, that a worker reads itself, or content that is sent by
  reference through Ray's object store. A worker has two tasks at once, and no more are out.
- **Each part may be run twice**, and has an effect once: values come back to the process that spreads
  the work, which takes one for each part. A `journal` keeps them, named by all that says what the
  part is, with the hash of the content; a later run takes a value from it where a worker finds
  the content to be the same.
- **Errors** name the part and the worker: `InputError` for what every worker would refuse,
  `WorkError`, `CapacityError` where no machine can hold a worker.
- **Secrets** stay with their owner: workers get evaluation keys and ciphertexts. Whoever can reach a
  cluster can run code on it: its tokens are on, and its network is not a public one.

`LocalPool` runs the same jobs in this process, without Ray.
"""

from halimede_ray._cluster import CARD, connect
from halimede_ray._errors import CapacityError, Disagreement, InputError, SourceChanged, WorkError
from halimede_ray._infer import InferencePool, Network
from halimede_ray._pool import Pool
from halimede_ray._tasks import LocalPool, Standing
from halimede_ray._tree import tree_root
from halimede_ray._verify import KINDS, Kind, Verdicts, verify, verify_blocks

__all__ = [
    "CARD", "KINDS", "CapacityError", "Disagreement", "InferencePool", "InputError", "Kind", "LocalPool",
    "Network", "Pool", "SourceChanged", "Standing", "Verdicts", "WorkError", "connect", "tree_root",
    "verify", "verify_blocks",
]
