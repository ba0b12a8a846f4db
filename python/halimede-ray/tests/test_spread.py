# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Distributed work without Ray: ranges, subtrees, journals, and the jobs in one process."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import halimede
import numpy as np
import pytest
from engines.poseidon.model import tree as model
import halimede_ray as spread
from halimede import ckks
from halimede_ray import __main__ as command
from halimede_ray._journal import Journal, Result, name_of, write_whole
from halimede_ray._ranges import Ranges, Subtrees, record_ranges
from halimede_ray._source import Source
from halimede_ray._tasks import LocalPool, Standing, Task
from halimede_ray._worker import Worker
from hypothesis import given, settings
from hypothesis import strategies as some

from spread_samples import Backwards, leaves, records_of, schnorr_records


@settings(deadline=None)
@given(some.integers(0, 2_000), some.integers(1, 500))
def test_ranges_cover_each_item_once(count: int, step: int) -> None:
    ranges = Ranges(count, step)
    parts = list(ranges)
    assert len(parts) == len(ranges)
    assert [item for part in parts for item in part] == list(range(count))
    assert all(len(part) == step for part in parts[:-1])


@settings(deadline=None)
@given(some.integers(0, 300), some.integers(1, 200), some.integers(1, 5_000))
def test_ranges_of_records_have_whole_records_and_enough_bytes(count: int, size: int, least: int) -> None:
    ranges = record_ranges(count * size, size, least)
    assert ranges.count == count
    assert all(len(part) * size >= least > (len(part) - 1) * size for part in list(ranges)[:-1])
    if size > 1:
        with pytest.raises(ValueError, match="are left over"):
            record_ranges(count * size + 1, size, least)


@settings(deadline=None)
@given(some.sampled_from([2, 3, 4, 8, 11, 36]), some.integers(1, 9), some.sampled_from([32, 64, 352]),
       some.integers(1, 1 << 20))
def test_ranges_of_trees_have_whole_subtrees_and_enough_bytes(
    arity: int, depth: int, leaf_bytes: int, least: int
) -> None:
    total = min(arity**depth, arity ** (depth if arity < 4 else 5))
    cut = Subtrees.cut(arity, total, leaf_bytes, least)
    assert cut.subtree_leaves == arity**cut.height and total % cut.subtree_leaves == 0
    assert cut.ranges.count == total and cut.ranges.step % cut.subtree_leaves == 0
    held = cut.ranges.step * leaf_bytes
    assert held >= min(least, total * leaf_bytes)
    # Memory is bounded: a range has at most twice the requested size, or a single leaf.
    assert held <= max(2 * least, leaf_bytes)


@pytest.mark.parametrize("arity, leaf_count", [(8, 0), (8, 1), (8, 7), (8, 65), (2, 3), (1, 1), (0, 8), (-2, 4)])
def test_trees_that_are_not_full_are_refused(arity: int, leaf_count: int) -> None:
    with pytest.raises(ValueError, match="leaves do not fill|arity is 2 or more"):
        Subtrees.cut(arity, leaf_count, 32)


@settings(max_examples=12, deadline=None)
@given(some.sampled_from([(2, 1), (2, 7), (4, 3), (8, 1), (8, 2), (11, 1)]), some.integers(1, 5_000),
       some.sampled_from(["standard", "strengthened"]), some.integers(0, 1 << 30))
def test_subtrees_join_to_the_root_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, shape: tuple[int, int], least: int, strength: Any, seed: int
) -> None:
    arity, depth = shape
    path = tmp_path_factory.mktemp("tree") / "leaves"
    path.write_bytes(leaves(arity**depth, seed))
    expected = halimede.poseidon.tree_root(path, arity, strength)
    for pool in (LocalPool(), Backwards(seed)):
        for by_reference in (False, True):
            found = spread.tree_root(
                path, arity, strength, pool=pool, range_bytes=least, by_reference=by_reference)
            assert found == expected


def test_a_small_tree_has_the_golden_models_root(tmp_path: Path) -> None:
    data = leaves(8**2, 5)
    (tmp_path / "leaves").write_bytes(data)
    found = spread.tree_root(tmp_path / "leaves", 8, pool=LocalPool(), range_bytes=300)
    assert found == model.reduce_to_root(8, model.parse_leaves(data))


@pytest.mark.parametrize("labels", [2, 11])
def test_columns_are_hashed_to_leaves(labels: int, tmp_path: Path) -> None:
    paths = [tmp_path / f"layer {number}" for number in range(labels)]
    for number, path in enumerate(paths):
        path.write_bytes(leaves(8**2, number))
    columns = np.stack([np.frombuffer(path.read_bytes(), np.uint64).reshape(-1, 4) for path in paths], axis=1)
    expected = halimede.poseidon.tree_root(halimede.poseidon.hash(columns), 8)
    for least in (1, 3000, 1 << 26):
        assert spread.tree_root(paths, 8, pool=Backwards(least), range_bytes=least) == expected
    paths[0], paths[1] = paths[1], paths[0]
    assert spread.tree_root(paths, 8, pool=LocalPool(), range_bytes=3000) != expected


def test_bad_leaves_and_labels_are_named_by_their_place_in_the_whole(tmp_path: Path) -> None:
    path, other = tmp_path / "leaves", tmp_path / "labels"
    data = bytearray(leaves(64, 1))
    other.write_bytes(data)
    data[32 * 41 + 31] |= 0x40
    path.write_bytes(data)
    root = functools.partial(spread.tree_root, pool=LocalPool(), range_bytes=300)
    with pytest.raises(spread.InputError, match=r"leaves, leaves 32 to 48 .*: leaf 41: not below 2\*\*254"):
        root(path)
    data[32 * 41 + 31] |= 0x80
    path.write_bytes(data)
    with pytest.raises(ValueError, match="layer 1, label 41: not below the field's modulus"):
        root([other, path])
    # A value between 2**254 and the modulus is a valid label, and not a valid leaf.
    data[32 * 41 + 31] = 0x41
    path.write_bytes(data)
    assert root([other, path]) > 0


def test_files_that_make_no_tree(tmp_path: Path) -> None:
    path, short = tmp_path / "leaves", tmp_path / "short"
    path.write_bytes(leaves(64, 1))
    short.write_bytes(leaves(8, 1))
    root: Any = functools.partial(spread.tree_root, pool=LocalPool())
    for source, message in [
        ([path, short], "it has 256 bytes"), ([path], "2 to 36 labels, got 1"), ([path] * 37, "got 37 layers"),
    ]:
        with pytest.raises(ValueError, match=message):
            root(source)
    path.write_bytes(leaves(64, 1)[:-1])
    with pytest.raises(ValueError, match="2047 bytes are not leaves"):
        root(path)
    path.write_bytes(leaves(40, 1))
    with pytest.raises(ValueError, match="40 leaves do not fill a tree of arity 8"):
        root(path)
    with pytest.raises(ValueError, match="arity 37"):
        path.write_bytes(leaves(37, 1))
        root(path, 37)
    with pytest.raises(FileNotFoundError):
        root(tmp_path / "missing")
    os.mkfifo(tmp_path / "pipe")
    for unreadable in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(OSError, match="not a regular file"):
            root(unreadable)


def test_files_that_change_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    content = random.Random(3).randbytes(1000)
    path.write_bytes(content)
    source = Source.find(path)
    assert source.read(10, 990) == content[10:990]
    for start, stop in ((-1, 5), (5, 4), (0, 1001)):
        with pytest.raises(ValueError, match="are not within 1000"):
            source.read(start, stop)
    os.utime(path, ns=(1, source.modified_ns + 1))
    with pytest.raises(spread.SourceChanged, match="written to"):
        source.read(0, 1)
    path.write_bytes(content[:-1])
    with pytest.raises(spread.SourceChanged, match="it has 999 bytes, and had 1000"):
        source.read(0, 1)


def test_a_file_that_is_cut_in_the_middle_of_the_work(tmp_path: Path) -> None:
    path = tmp_path / "sector.dat"
    path.write_bytes(leaves(64, 1))

    def cut(standing: Standing) -> None:
        if standing.done == 2:
            os.truncate(path, 512)

    with pytest.raises(spread.WorkError, match="sector.dat, leaves 16 to 24 .*SourceChanged.*512 bytes") as caught:
        spread.tree_root(path, 8, pool=LocalPool(), range_bytes=256, progress=cut)
    assert caught.value.label.endswith("leaves 16 to 24") and caught.value.worker == "this process"


def test_a_journal_spares_what_is_known_and_notices_what_changed(tmp_path: Path) -> None:
    path, folder = tmp_path / "leaves", tmp_path / "journal"
    data = bytearray(leaves(64, 1))
    path.write_bytes(data)
    steps: list[Standing] = []

    class Stopped(Exception):
        pass

    def stop(standing: Standing) -> None:
        if standing.done == 5:
            raise Stopped

    root = functools.partial(spread.tree_root, path, 8, pool=LocalPool(), journal=folder, range_bytes=256)
    with pytest.raises(Stopped):
        root(progress=stop)
    first = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert len(first) == 5 and all(file.stat().st_mode & 0o777 == 0o600 for file in first)
    assert root(progress=steps.append) == halimede.poseidon.tree_root(path)
    assert [step.done for step in steps] == list(range(9)) and steps[-1].bytes == len(data)
    assert len(list(folder.iterdir())) == 8
    assert all(file.stat().st_mtime_ns == time for file, time in first.items())
    # The file has changed, even if its time of modification has not.
    times = path.stat()
    data[70] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert root() == halimede.poseidon.tree_root(path)
    assert len(list(folder.iterdir())) == 8
    assert sum(file.stat().st_mtime_ns != time for file, time in first.items()) == 1


def test_a_value_is_taken_from_the_journal_and_not_computed(tmp_path: Path) -> None:
    """The journal returns a value that cannot be computed."""
    path = tmp_path / "leaves"
    path.write_bytes(leaves(8, 1))
    root = functools.partial(spread.tree_root, path, 8, pool=LocalPool(), journal=tmp_path / "journal")
    assert root() == halimede.poseidon.tree_root(path)
    (file,) = (tmp_path / "journal").iterdir()
    journal = Journal(tmp_path / "journal")
    known = journal.get(file.stem)
    assert known is not None and known.content == halimede.blake3.hash(path.read_bytes()).hex()
    file.unlink()
    journal.put(file.stem, Result(known.content, ["07" + "00" * 31]))
    assert root() == 7


def test_journals(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "deep" / "journal")
    name = name_of(job="x", first=3)
    assert journal.get(name) is None
    assert journal.put(name, Result("c0ffee", [1, "two"])) is True
    assert journal.put(name, Result("c0ffee", [1, "two"])) is False and journal.written == 1
    assert journal.get(name) == Result("c0ffee", [1, "two"])
    with pytest.raises(spread.Disagreement, match="computes wrongly"):
        journal.put(name, Result("c0ffee", [1, "three"]))
    assert journal.put(name, Result("c0de", [4])) is True and journal.get(name) == Result("c0de", [4])
    (file,) = journal.folder.iterdir()
    text = file.read_bytes()
    generator = random.Random(1)
    for _ in range(50):
        damaged = bytearray(text)
        damaged[generator.randrange(len(text))] ^= 1 << generator.randrange(8)
        file.write_bytes(generator.choice([damaged, text[:generator.randrange(len(text))], b"[" * 100_000]))
        try:
            found = journal.get(name)
        except ValueError as error:
            assert "remove it" in str(error)
        else:
            # A change of white space.
            assert found == Result("c0de", [4])
    for bad in ("", "../" + "0" * 61, "A" * 64):
        with pytest.raises(ValueError, match="not the name"):
            journal.get(bad)


def test_files_are_replaced_whole_and_only_files(tmp_path: Path) -> None:
    path = tmp_path / "result"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two" and os.listdir(tmp_path) == ["result"]
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(path)
    for other in ("pipe", "link"):
        with pytest.raises(OSError, match="not a regular file"):
            write_whole(tmp_path / other, b"three")
    assert path.read_bytes() == b"two"


def test_records_have_verdicts_in_order(tmp_path: Path) -> None:
    content, bad = schnorr_records(200, 7)
    path = tmp_path / "signatures"
    path.write_bytes(content)
    for least in (128 * 7, 1 << 26):
        for by_reference in (False, True):
            found = list(spread.verify(
                "schnorr", path, pool=Backwards(least), range_bytes=least, by_reference=by_reference))
            assert [item for part in found for item in range(part.first, part.first + part.items)] == list(range(200))
            merged = {number: reason for part in found for number, reason in part.bad.items()}
            assert merged == bad and list(merged) == sorted(bad)
    path.write_bytes(content + b"!")
    with pytest.raises(ValueError, match="1 are left over"):
        spread.verify("schnorr", path, pool=LocalPool())
    with pytest.raises(ValueError, match="no such kind of records: 'dsa'; wanted one of ecdsa, schnorr"):
        spread.verify("dsa", path, pool=LocalPool())
    path.write_bytes(b"")
    assert list(spread.verify("schnorr", path, pool=LocalPool())) == []


@pytest.mark.parametrize("kind", ["ecdsa", "bls", "equihash"])
def test_other_kinds_name_their_bad_records(kind: str, tmp_path: Path) -> None:
    content, bad = records_of(kind)
    path = tmp_path / kind
    path.write_bytes(content)
    size = spread.KINDS[kind].record_bytes
    found = list(spread.verify(kind, path, pool=LocalPool(), range_bytes=2 * size))
    assert len(found) == -(-len(content) // size // 2)
    assert {number for part in found for number in part.bad} == bad
    assert 0 < len(bad) < len(content) // size
    assert all(reason for part in found for reason in part.bad.values())


def test_blocks_have_verdicts(tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[3] / "engines/zcash/vectors/zcash_block_346.hex").read_text()
    block = bytearray.fromhex(text)
    contents = [text.encode(), bytes(block), bytes(block[:-1]), b"", bytes(block)]
    block[200] ^= 1
    contents.append(bytes(block))
    paths = [tmp_path / f"{number}" for number in range(len(contents))]
    for path, content in zip(paths, contents):
        path.write_bytes(content)
    found = list(spread.verify_blocks(paths, pool=Backwards(1), blocks_in_part=4))
    assert [(part.first, part.items) for part in found] == [(0, 4), (4, 2)]
    bad = {number: reason for part in found for number, reason in part.bad.items()}
    assert list(bad) == [2, 3, 5]
    assert bad[2].startswith("not a block: ") and bad[3].startswith("not a block: ")
    assert "section 7.7.1, header: hashes do not collide" in bad[5]
    incomplete = {number: reason for part in found for number, reason in part.incomplete.items()}
    assert incomplete == dict.fromkeys([0, 1, 4], "1 block height")
    heights = [346] * 5 + [345]
    found = list(spread.verify_blocks(paths, heights=heights, pool=Backwards(1), blocks_in_part=4))
    assert found[0].incomplete == found[1].incomplete == {}
    assert "the block claims height 346, not 345" in found[1].bad[5]
    with pytest.raises(ValueError, match="5 heights for 6 blocks"):
        list(spread.verify_blocks(paths, heights=heights[:5], pool=Backwards(1)))


def test_secret_keys_are_refused() -> None:
    client: Any = ckks.Client("n13-insecure")
    network = spread.Network(b"", np.zeros((1, 1)), "n13-insecure")
    for secret in (client, client.save, b"secret", None):
        with pytest.raises(TypeError, match="wanted EvaluationKeys; a secret key does not leave its owner"):
            spread.InferencePool(network, secret, LocalPool)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, records = tmp_path / "leaves", tmp_path / "records"
    path.write_bytes(leaves(64, 2))
    content, bad = schnorr_records(50, 2)
    records.write_bytes(content)
    assert command.main(["tree", "--local", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{halimede.poseidon.tree_root(path):#066x}\n"
    assert "1 of 1 parts, 0 MiB, 1 workers" in captured.err
    assert command.main(["verify", "schnorr", "--local", "--quiet", str(records), str(records)]) == 1
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[-1] == f"100 items, {2 * len(bad)} invalid, 0 incomplete" and captured.err == ""
    assert lines[:-1] == [f"{records}: item {number}: {reason}" for number, reason in bad.items()] * 2
    vector = Path(__file__).resolve().parents[3] / "engines/zcash/vectors/zcash_block_346.hex"
    assert command.main(["verify", "zcash-blocks", "--local", "--quiet", str(vector), str(records)]) == 1
    out = capsys.readouterr().out
    assert f"{records}: item 1: not a block" in out and "2 items, 1 invalid, 1 incomplete" in out
    alone = ["verify", "zcash-blocks", "--local", "--quiet", str(vector)]
    assert command.main(alone) == 5 and command.main([*alone, "--allow-incomplete"]) == 0
    assert "item 0: incomplete, not checked: 1 block height\n" in capsys.readouterr().out
    for arguments in (["tree", str(tmp_path / "missing")], ["tree", str(path), str(path)], ["verify", "bls", str(path)]):
        assert command.main([arguments[0], "--local", "--quiet", *arguments[1:]]) == 2
        assert capsys.readouterr().err.startswith("error: ")
    assert command.main(["tree", "--local", "--device", "no such device", str(path)]) == 3
    with pytest.raises(SystemExit) as caught:
        command.main(["--help"])
    assert caught.value.code == 0 and "docs/spread.md" in capsys.readouterr().out


def test_ray_is_not_imported() -> None:
    """Neither the package nor local jobs import Ray; without Ray, a pool names the package to
    install."""
    program = """
import sys
sys.modules["ray"] = None
import halimede
assert not any(name.startswith("halimede_ray") for name in sys.modules)
import halimede_ray, halimede_ray.__main__
halimede_ray.LocalPool()
for call in (halimede_ray.Pool, halimede_ray.connect):
    try:
        call()
    except ImportError as error:
        assert "pip install halimede-ray" in str(error), error
    else:
        raise SystemExit(1)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)




def test_a_worker_reads_ahead_and_computes_in_turn() -> None:
    """A part is read while the previous one is computed; a failed reading does not change the
    order."""
    events: list[str] = []
    was_read = [threading.Event() for _ in range(4)]

    class Reading:
        def __init__(self, number: int) -> None:
            self.number = number

        def read(self) -> int:
            events.append(f"read {self.number}")
            was_read[self.number].set()
            if self.number == 2:
                raise OSError("no such content")
            return self.number

    def compute(state: Any, number: int) -> int:
        events.append(f"begin {number}")
        if number == 1:
            # Only reading ahead sets it.
            assert was_read[2].wait(30)
        events.append(f"end {number}")
        return number

    worker = Worker(None, "cpu", None, None)
    worker.ready()
    with ThreadPoolExecutor(3) as threads:
        running = []
        for number in (1, 2, 3):
            running.append(threads.submit(worker.run, compute, (), (Reading(number),)))
            assert was_read[number].wait(30)
        assert running[0].result(30) == 1 and running[2].result(30) == 3
        with pytest.raises(OSError, match="no such content"):
            running[1].result(30)
    assert events.index("read 2") < events.index("end 1") < events.index("begin 3")
