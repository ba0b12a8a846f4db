# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`halimede_ray` on raylets of this machine: deaths of workers and nodes, effects, limits, errors.

They take minutes, and Ray: `make test-ray` runs them.
"""

from __future__ import annotations

import base64
import functools
import importlib.util
import ipaddress
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import halimede
import numpy as np
import pytest
from halimede import ckks, nn
import halimede_ray as spread
from halimede_ray._journal import Journal
from halimede_ray._parts import Part, Reading
from halimede_ray._parts import spread as spread_parts
from halimede_ray._ranges import Subtrees
from halimede_ray._source import Source
from halimede_ray._tasks import Standing, Task
from halimede_ray._tree import joined

# Searches without importing: the import of Ray settles whether tokens are used.
if importlib.util.find_spec("ray") is None:
    pytest.skip("Ray is not installed: `make test-ray` runs these", allow_module_level=True)

import ray_effects as effects
from ray_cluster import Machines
from spread_samples import leaves, schnorr_records
from test_filecoin import VECTORS, write_sector

PARTS = 24


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    found = Machines(cpus=1)
    yield found
    found.close()


@pytest.fixture
def second(machines: Machines) -> Any:
    """A second node."""
    node = machines.second()
    machines.wait_for(2)
    return node


@pytest.fixture
def sector(tmp_path: Path) -> Path:
    """A file of 8**4 leaves in ranges of 64 subtrees: see `noted_root`."""
    path = tmp_path / "sector.dat"
    path.write_bytes(leaves(8**4, 11))
    return path


def noted_root(
    pool: spread.Pool, sector: Path, victim: int, progress: Callable[[Standing], object]
) -> tuple[int, Journal]:
    """Does the same as `tree_root`, with notes of effects; also returns the journal of the
    roots."""
    source = Source.find(sector)
    tree = Subtrees.cut(8, 8**4, 32, source.bytes // PARTS)
    parts = (
        Part(
            effects.Noted(8, "standard", tree.subtree_leaves, part.start, str(sector.parent), victim),
            f"leaves {part.start} to {part.stop}", (Reading(source, part.start * 32, part.stop * 32),))
        for part in tree.ranges
    )
    journal = Journal(sector.parent / "journal")
    values = spread_parts(pool, parts, len(tree.ranges), journal=journal, progress=progress)
    return joined([root for value in values for root in value], 8, "standard"), journal


def require_once(sector: Path, journal: Journal, tree_parts: int) -> None:
    """Checks that some worker finished each part, and that each part was used once."""
    assert journal.written == tree_parts == len(list(journal.folder.iterdir()))
    ends = effects.counts(sector.parent, "end")
    assert len(ends) == tree_parts and set(ends.values()) == {1}


def test_a_worker_that_is_killed_in_the_middle(machines: Machines, second: Any, sector: Path) -> None:
    standings: list[Standing] = []

    def kill(standing: Standing) -> None:
        standings.append(standing)
        held = [process for event, _, process in effects.notes(sector.parent) if event == "held"]
        if held and effects.once(sector.parent / "killed"):
            os.kill(held[0], signal.SIGKILL)

    with spread.Pool(2) as pool:
        root, journal = noted_root(pool, sector, machines.raylet(second), kill)
    assert root == halimede.poseidon.tree_root(sector)
    assert (sector.parent / "killed").exists() and standings[-1].repeated >= 1
    begins = effects.counts(sector.parent, "begin")
    (held,) = effects.counts(sector.parent, "held")
    # Only the part that died with its worker was begun twice.
    assert begins.pop(held) == 2 and set(begins.values()) == {1}
    require_once(sector, journal, standings[-1].tasks)


def test_a_node_that_is_killed_in_the_middle(machines: Machines, second: Any, sector: Path) -> None:
    standings: list[Standing] = []

    def kill(standing: Standing) -> None:
        standings.append(standing)
        if effects.counts(sector.parent, "held") and effects.once(sector.parent / "killed"):
            machines.kill(second)

    with spread.Pool(2) as pool:
        root, journal = noted_root(pool, sector, machines.raylet(second), kill)
        assert root == halimede.poseidon.tree_root(sector)
        # The other worker did the rest, since a second worker would lack resources.
        assert (sector.parent / "killed").exists() and standings[-1].workers == 1
        (held,) = effects.counts(sector.parent, "held")
        begins = effects.counts(sector.parent, "begin")
        assert begins.pop(held) == 2 and set(begins.values()) == {1}
        require_once(sector, journal, standings[-1].tasks)
        # On a new machine, the worker starts and joins the work.
        third = machines.add(cpus=1)
        seen: set[int] = set()
        folder = sector.parent
        number = 0

        def until_two() -> Iterator[Task]:
            nonlocal number
            while 2 not in seen and number < 100_000:
                yield Task(effects.mark, (str(folder), number), f"task {number}")
                number += 1

        squares = list(pool.map(until_two(), 0, progress=lambda standing: seen.add(standing.workers)))
        assert squares == [value * value for value in range(number)] and 2 in seen
    machines.kill(third)
    machines.wait_for(1)


def test_a_sector_is_sealed_though_a_node_dies(machines: Machines, second: Any, tmp_path: Path) -> None:
    vector = VECTORS[1]
    pc1out = write_sector(vector, tmp_path)

    def kill(standing: Standing) -> None:
        if standing.done == 11 and effects.once(tmp_path / "killed"):
            machines.kill(second)

    with spread.Pool(2) as pool:
        sealed = spread.precommit2(
            tmp_path / "sealed", tmp_path / "cache", pc1out, pool=pool, part_bytes=256, progress=kill)
    assert (tmp_path / "killed").exists() and sealed.comm_r.hex() == vector["comm_r"]
    assert (tmp_path / "sealed").read_bytes().hex() == vector["sealed"]
    for name in ("p_aux", "sc-02-data-tree-c.dat", "sc-02-data-tree-r-last.dat"):
        assert (tmp_path / "cache" / name).read_bytes().hex() == vector["files"][name]
    machines.wait_for(1)


def test_no_machine_has_what_a_worker_takes(machines: Machines, second: Any, sector: Path) -> None:
    message = "a worker needs 1 CPU, 1 halimede_card, and the machines have in total: 1 CPU; 1 CPU$"
    with pytest.raises(spread.CapacityError, match=message):
        spread.Pool(cards=1)
    with pytest.raises(spread.CapacityError, match="a worker needs 64 CPU"):
        spread.Pool(cpus=64)
    card = machines.add(cpus=1, halimede_card=1)
    with spread.Pool(2, cards=1, patience=20) as pool:
        # One of two workers finds resources, and does all the work.
        assert spread.tree_root(sector, pool=pool, range_bytes=20_000) == halimede.poseidon.tree_root(sector)

        def kill(standing: Standing) -> None:
            if effects.counts(sector.parent, "held") and effects.once(sector.parent / "killed"):
                machines.kill(card)

        message = "no worker was ready for 20 s: a worker needs 1 CPU, 1 halimede_card"
        with pytest.raises(spread.CapacityError, match=message):
            noted_root(pool, sector, machines.raylet(card), kill)
    machines.wait_for(2)


def test_pools_leave_room(machines: Machines, second: Any) -> None:
    machines.wait_for_cpus(2)
    with spread.Pool() as pool:
        assert pool.workers == 1
        assert list(pool.map([Task(effects.threads, (), "a task")], 1)) == [("1", None)]
    machines.wait_for_cpus(2)
    with spread.Pool(room=0) as pool:
        assert pool.workers == 2
    wrong: Any
    for wrong in ({"workers": 0}, {"cpus": 0}, {"cpus": -1}, {"depth": 0}, {"patience": 0}, {"retries": -1}):
        with pytest.raises(ValueError):
            spread.Pool(**wrong)


def test_bad_input_is_named_and_tried_once(machines: Machines, sector: Path) -> None:
    content = bytearray(sector.read_bytes())
    content[32 * 1000 + 31] = 0xFF
    sector.write_bytes(content)
    with spread.Pool(1) as pool:
        with pytest.raises(ValueError, match=r"leaves 960 to 1024 \(on worker 0 \(.*process \d+\)\): leaf 1000: not below"):
            spread.tree_root(sector, pool=pool, range_bytes=2048)
        # The pool still works.
        content[32 * 1000 + 31] = 0
        sector.write_bytes(content)
        assert spread.tree_root(sector, pool=pool, range_bytes=2048) == halimede.poseidon.tree_root(sector)
    with pytest.raises(spread.CapacityError, match="no worker is left: worker 0: ValueError: this machine lacks"):
        with spread.Pool(1, setup=effects.failing) as pool:
            spread.tree_root(sector, pool=pool)
    with pytest.raises(spread.CapacityError, match="no worker is left: worker 0: DeviceError: "):
        with spread.Pool(1, device="xdma:/dev/none") as pool:
            spread.tree_root(sector, pool=pool)


@pytest.mark.parametrize("by_reference", [False, True])
def test_a_file_that_is_cut_in_the_middle(machines: Machines, sector: Path, by_reference: bool) -> None:
    def cut(standing: Standing) -> None:
        if standing.done >= 3:
            os.truncate(sector, 4096)

    with spread.Pool(1) as pool:
        with pytest.raises(spread.WorkError, match="SourceChanged: .*it has 4096 bytes, and had 131072") as caught:
            spread.tree_root(
                sector, pool=pool, range_bytes=2048, progress=cut, by_reference=by_reference)
        assert (caught.value.worker is None) == by_reference and "leaves" in caught.value.label


def test_content_goes_by_reference(machines: Machines, second: Any, sector: Path) -> None:
    with spread.Pool(2) as pool:
        found = spread.tree_root(sector, pool=pool, range_bytes=20_000, by_reference=True)
        assert found == halimede.poseidon.tree_root(sector)


def test_a_task_that_ends_every_worker_is_given_up(machines: Machines) -> None:
    tasks = [Task(effects.fatal, (number,), f"task {number}") for number in range(4)]
    with spread.Pool(1, retries=1, restarts=5) as pool:
        with pytest.raises(spread.WorkError, match=r"^task 2 \(on worker 0.*: 2 workers died that ran only this task"):
            list(pool.map(tasks, 4))
    with spread.Pool(1, retries=9, restarts=1) as pool:
        with pytest.raises(spread.CapacityError, match="no worker is left"):
            list(pool.map(tasks, 4))


def test_the_neighbor_of_a_fatal_task_is_not_blamed(machines: Machines, tmp_path: Path) -> None:
    """It was read, and not computed, when the worker died."""
    seen = str(tmp_path / "read")
    one = Task(effects.innocent, (), "innocent", readings=(effects.Signal(seen),))

    def fatal(number: int) -> Task:
        return Task(effects.fatal_until, (str(tmp_path), number, "read"), f"fatal {number}")

    with spread.Pool(1, retries=0) as pool:
        # A worker that had both tasks died, and no worker that had only one of them.
        assert list(pool.map([fatal(2), one], 2)) == [2, seen]
        always = Task(effects.fatal, (2,), "always")
        with pytest.raises(spread.WorkError, match=r"^always \(on worker 0.*: 1 workers died"):
            list(pool.map([one, always, one, one], 4))


def test_a_task_that_hangs_goes_to_another_worker(machines: Machines, tmp_path: Path) -> None:
    tasks = [Task(effects.slow, (str(tmp_path), number), f"task {number}") for number in range(4)]
    with spread.Pool(1, time_limit=3) as pool:
        assert list(pool.map(tasks, 4)) == [0, 1, 2, 3]
    assert effects.counts(tmp_path, "begin") == {"0": 1, "1": 2, "2": 1, "3": 1}


def test_no_more_is_out_than_the_bound(machines: Machines, second: Any, tmp_path: Path) -> None:
    """Bounds the tasks in flight and the results that wait for an earlier one."""
    taken = given = most = 0

    def tasks() -> Iterator[Task]:
        nonlocal taken
        for number in range(300):
            taken += 1
            yield Task(effects.mark, (str(tmp_path), number), f"task {number}", 1, contents=lambda: [])

    def look(standing: Standing) -> None:
        nonlocal most
        most = max(most, taken - given)

    with spread.Pool(2, depth=3) as pool:
        for number, value in enumerate(pool.map(tasks(), 300, progress=look)):
            given += 1
            assert value == number**2
            # Tasks in flight, and results that wait.
            assert taken - given <= 3 * 2 + 4 * 3 * 2
    assert taken == given == 300 and most > 1
    assert set(effects.counts(tmp_path, "begin").values()) == {1}


def test_work_that_is_left_ends_there(machines: Machines, tmp_path: Path) -> None:
    with spread.Pool(1) as pool:
        tasks = [Task(effects.mark, (str(tmp_path), number), f"task {number}") for number in range(50)]
        values = pool.map(tasks, 50)
        assert next(values) == 0
        values.close()  # type: ignore[attr-defined]
        assert len(effects.notes(tmp_path)) < 20
        assert list(pool.map(tasks[40:], 10)) == [number**2 for number in range(40, 50)]


def test_records_are_verified_in_order(machines: Machines, second: Any, tmp_path: Path) -> None:
    content, bad = schnorr_records(3000, 5)
    path = tmp_path / "signatures"
    path.write_bytes(content)
    with spread.Pool(2) as pool:
        found = list(spread.verify("schnorr", path, pool=pool, range_bytes=128 * 100))
    assert [part.first for part in found] == list(range(0, 3000, 100))
    assert {number: reason for part in found for number, reason in part.bad.items()} == bad


def dense() -> tuple[spread.Network, nn.Model]:
    """A linear layer behind a square, on eight values."""
    onnx = pytest.importorskip("onnx")
    helper, numbers = onnx.helper, np.random.default_rng(4)
    weights = onnx.numpy_helper.from_array(numbers.normal(size=(4, 8)).astype(np.float32), "a")
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "a"], ["y"], transB=1)], "network",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 8])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 4])], [weights])
    content = helper.make_model(graph).SerializeToString()
    network = spread.Network(content, numbers.uniform(-1, 1, (20, 8)), "n13-insecure", {"guard": False})
    return network, network.compile()


def test_networks_run_on_ciphertexts(machines: Machines, second: Any, tmp_path: Path) -> None:
    network, model = dense()
    client = model.client()
    keys = client.evaluation_keys()
    with pytest.raises(TypeError):
        pickle.dumps(client.secret)
    inputs = np.random.default_rng(5).uniform(-1, 1, (6, 8))
    sealed = [client.encrypt(values) for values in inputs]
    pool = functools.partial(spread.Pool, 2)
    with spread.InferencePool(network, keys, pool) as serving:
        results = list(serving.run(sealed, journal=tmp_path / "journal"))
        for values, result in zip(inputs, results):
            assert np.abs(client.decrypt(result).values - model(values)).max() < 1e-3
        # The same bits as in this process, and from the journal.
        local = model.server(keys)
        for one, result in zip(sealed[:2], results):
            sent = ckks.Ciphertext.load(one.to_bytes(), model.parameters)
            assert local.run(sent).to_bytes() == result.to_bytes()
        written = {path: path.stat().st_mtime_ns for path in (tmp_path / "journal").iterdir()}
        again = list(serving.run(sealed, journal=tmp_path / "journal"))
        assert [one.to_bytes() for one in again] == [one.to_bytes() for one in results] and len(written) == 6
        assert all(path.stat().st_mtime_ns == time for path, time in written.items())
        stranger = model.client().encrypt(inputs[0])
        with pytest.raises(ValueError, match=r"sealed\[1\]: its key is"):
            serving.run([sealed[0], stranger])


def test_states_are_made_once_a_worker(machines: Machines, second: Any, tmp_path: Path) -> None:
    with spread.Pool(2, setup=effects.counted, arguments=(str(tmp_path), "once")) as pool:
        tasks = [Task(effects.threads, (), f"task {number}") for number in range(20)]
        assert list(pool.map(tasks, 20)) == [("1", "once")] * 20
        processes = {process for _, _, process in effects.notes(tmp_path)}
        assert effects.counts(tmp_path, "setup") == {"once": len(processes)} and 1 <= len(processes) <= 2


def test_the_command_connects_with_the_token(machines: Machines, sector: Path) -> None:
    command = [sys.executable, "-m", "halimede_ray", "tree", "--quiet", "--workers", "1", "--range-mib", "1",
               "--address", machines.address, str(sector)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stdout) == (0, f"{halimede.poseidon.tree_root(sector):#066x}\n"), done.stderr
    wrong = {**os.environ, "RAY_AUTH_TOKEN": base64.b16encode(os.urandom(32)).decode()}
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=wrong)
    assert done.returncode == 3 and done.stdout == ""


def test_nothing_leaves_the_machine(machines: Machines, second: Any, sector: Path) -> None:
    peers: set[str] = set()
    with spread.Pool(2) as pool:
        spread.tree_root(sector, pool=pool, range_bytes=2048, progress=lambda _: peers.update(connected()))
    assert peers and all(ipaddress.ip_address(peer).is_loopback for peer in peers), peers


def connected() -> set[str]:
    """The peers of TCP connections of this process and of Ray's processes."""
    sockets = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "cmdline").read_bytes()
            if process.name == str(os.getpid()) or b"/ray/" in name or name.startswith(b"ray::"):
                sockets |= {os.readlink(link) for link in (process / "fd").iterdir()}
        except OSError:
            continue
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "01" and f"socket:[{fields[9]}]" in sockets:
                words = fields[2].split(":")[0]
                address = ipaddress.ip_address(b"".join(
                    bytes.fromhex(words[place:place + 8])[::-1] for place in range(0, len(words), 8)))
                mapped = getattr(address, "ipv4_mapped", None)
                found.add(str(mapped or address))
    return found
