# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Devices: listing, opening and closing them, the simulated card, failures."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import halimede
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = ROOT / "build/card-sim/halimede-card-sim"


@pytest.fixture(scope="module")
def simulated() -> Iterator[halimede.Device]:
    """The simulated card, if it has been built."""
    simulator = os.environ.get("HALIMEDE_CARD_SIM", str(SIMULATOR))
    if not Path(simulator).is_file() and "HALIMEDE_REQUIRE_RTL" not in os.environ:
        pytest.skip("no simulated card; `make card-sim` builds it")
    os.environ["HALIMEDE_CARD_SIM"] = simulator
    # An ECDSA check takes seconds on a busy machine.
    with halimede.Device("sim", time_limit=60) as device:
        yield device


def states(rows: int, width: int) -> Any:
    shape = (rows, width, 4)
    return np.random.default_rng(rows).integers(1 << 58, size=shape, dtype=np.uint64)


def test_every_kind_of_device_is_listed() -> None:
    found = halimede.devices()
    kinds = {device["spec"].split(":")[0] for device in found}
    assert {"cpu", "sim", "xdma", "f2", "uart"} <= kinds
    processor = found[0]
    assert processor["spec"] == "cpu" and processor["available"] is True
    assert "filecoin-8" in processor["capabilities"]["engines"][0]["instances"]
    assert all(device["description"] for device in found)


def test_the_processor_as_a_device() -> None:
    device = halimede.Device()
    assert device.name == "cpu" and not device.closed and "cpu" in repr(device)
    assert device.capabilities["kind"] == "processor"
    values = states(9, 3)
    alone = halimede.poseidon.permute(values)
    assert np.array_equal(halimede.poseidon.permute(values, device=device), alone)
    with device as entered:
        assert entered is device
    assert device.closed and "closed" in repr(device)
    device.close()
    for use in (
        lambda: halimede.poseidon.permute(values, device=device),
        lambda: halimede.starknet.hash(1, 2, device=device),
        lambda: halimede.poseidon.tree_root(bytes(256), device=device),
        lambda: halimede.blake3.hash_many([b"abc"], device=device),
        lambda: device.capabilities,
    ):
        with pytest.raises(ValueError, match="device cpu has been closed"):
            use()


def test_a_block_that_fails_closes_its_device() -> None:
    device = halimede.Device("cpu")
    with pytest.raises(KeyError), device:
        raise KeyError("x")
    assert device.closed


@pytest.mark.parametrize(
    "name, message",
    [
        ("gpu", "there is no such device; the devices are cpu, sim"),
        ("", "there is no such device"),
        ("cuda:x", "is not the number of a GPU"),
        ("cuda:4000", "device cuda:4000 is not available"),
        ("sim:/nonexistent/socket", "device sim:/nonexistent/socket is not available"),
        ("xdma:/nonexistent/xdma", "not available"),
        ("uart:/nonexistent/tty", "not available"),
    ],
)
def test_devices_that_are_not_here(name: str, message: str) -> None:
    with pytest.raises(halimede.DeviceError, match=message):
        halimede.Device(name)
    with pytest.raises(halimede.DeviceError, match=message):
        halimede.Device("cpu", fallback=name)


def test_options() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), 1e300):
        with pytest.raises(ValueError, match="time_limit: wanted seconds above 0"):
            halimede.Device("cpu", time_limit=wrong)
    with pytest.raises(TypeError):
        halimede.Device(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        halimede.Device("cpu", "cpu")  # type: ignore[misc]


def test_the_card_answers_as_the_processor_does(simulated: halimede.Device) -> None:
    assert simulated.capabilities["kind"] == "card"
    filecoin, stark = states(70, 3), states(33, 3)
    assert np.array_equal(
        halimede.poseidon.permute(filecoin, device=simulated), halimede.poseidon.permute(filecoin)
    )
    assert halimede.poseidon.permute(
        stark.tobytes(), "stark-3", simulated
    ) == halimede.poseidon.permute(stark.tobytes(), "stark-3")
    pairs = stark[:, :2].copy()
    assert np.array_equal(
        halimede.poseidon.hash(pairs, device=simulated), halimede.poseidon.hash(pairs)
    )
    assert halimede.starknet.hash(1, 2, simulated) == halimede.starknet.hash(1, 2)
    assert halimede.starknet.hash_single(3, simulated) == halimede.starknet.hash_single(3)
    messages = [[1, 2, 3], [], [4]]
    assert halimede.starknet.hash_many(
        messages, device=simulated
    ) == halimede.starknet.hash_many(messages)
    leaves = states(32, 1).tobytes()
    root = halimede.poseidon.tree_root(leaves, 2, device=simulated)
    assert root == halimede.poseidon.tree_root(leaves, 2)


def operations(device: halimede.Device) -> set[str]:
    return {name for engine in device.capabilities["engines"] for name in engine["operations"]}


def test_the_card_verifies_equihash_as_the_processor_does(simulated: halimede.Device) -> None:
    if "equihash.verify" not in operations(simulated):
        pytest.skip("the simulated card has no Equihash engine")
    generator, path = random.Random(2), "engines/zcash/vectors/zcash_block_346.hex"
    block = bytes.fromhex((ROOT / path).read_text())
    header, solution = block[:140], block[143:1487]
    solutions = [bytearray(solution) for _ in range(12)]
    for spoilt in solutions[1:]:
        spoilt[generator.randrange(len(spoilt))] ^= 1 << generator.randrange(8)
    inputs = [header] * len(solutions)
    verdicts = halimede.equihash.verify(inputs, solutions, device=simulated)
    assert verdicts[0] and not any(verdicts[1:])
    assert list(verdicts) == list(halimede.equihash.verify(inputs, solutions))
    headers = [header + block[140:143] + bytes(one) for one in solutions]
    found = halimede.zcash.verify_headers(headers, device=simulated)
    assert found == halimede.zcash.verify_headers(headers) and found[0] and not found[1]
    assert halimede.equihash.Header(block[:1487]).verify(device=simulated)
    with pytest.raises(halimede.DeviceError, match="140"):
        halimede.equihash.verify([header[:139]], [solution], difficulty=False, device=simulated)


def test_the_card_verifies_ecdsa_as_the_processor_does(simulated: halimede.Device) -> None:
    generator = random.Random(3)
    rows: list[list[bytes]] = [[], [], []]
    vectors = json.loads((ROOT / "engines/secp256k1/vectors/checks.json").read_text())
    for case in generator.sample(vectors["checks"], 12):
        part = {name: bytes.fromhex(case[name]) for name in ("x", "y", "r", "s", "digest")}
        rows[0].append(b"\4" + part["x"] + part["y"])
        rows[1].append(part["digest"])
        rows[2].append(part["r"] + part["s"])
    expected = halimede.ecdsa.verify_many(*rows, "compact")
    block = (ROOT / "engines/zcash/vectors/zcash_block_346.hex").read_text()
    if "secp256k1.verify" not in operations(simulated):
        with pytest.raises(halimede.DeviceError, match="cannot do secp256k1.verify"):
            halimede.ecdsa.verify_many(*rows, "compact", device=simulated)
        return
    found = halimede.ecdsa.verify_many(*rows, "compact", device=simulated)
    assert list(found) == list(expected) and len(set(found.outcomes.tolist())) > 2
    assert halimede.zcash.verify_block(block, device=simulated)["verdict"] == "incomplete"


def test_the_card_hashes_by_blake3_as_the_processor_does(simulated: halimede.Device) -> None:
    engines = simulated.capabilities["engines"]
    if not any("blake3.hash" in engine["operations"] for engine in engines):
        pytest.skip("the simulated card has no BLAKE3 engine")
    generator = random.Random(1)
    data = generator.randbytes(60_000)
    lengths = [0, 1, 64, 65, 1023, 1024, 1025, 5000, *(generator.randrange(3000) for _ in range(30))]
    messages = [data[length:2 * length] for length in lengths]
    modes: list[dict[str, Any]] = [{}, {"key": data[:32]}, {"context": "halimede tests of devices"}]
    for how in modes:
        for seek, length in ((0, 32), (0, 0), (63, 200)):
            how = {**how, "seek": seek, "length": length}
            answer = halimede.blake3.hash(data, device=simulated, **how)
            assert answer == halimede.blake3.hash(data, **how)
        how = {name: how[name] for name in how if name in ("key", "context")}
        digests = halimede.blake3.hash_many(messages, device=simulated, **how)
        assert np.array_equal(digests, halimede.blake3.hash_many(messages, **how))


def test_the_windows_of_the_engines(simulated: halimede.Device) -> None:
    values = states(30, 3)
    simulated.clear_interrupts("poseidon", ["error", "ignored", "idle", "stalled"])
    simulated.enable_interrupts("poseidon", ["idle"])
    assert simulated.interrupting() == []
    before = simulated.engine_report("poseidon")
    halimede.poseidon.permute(values, device=simulated)
    after = simulated.engine_report("poseidon")
    assert after["requests"] - before["requests"] == after["replies"] - before["replies"] == 30
    assert after["errors"] == before["errors"]
    assert after["counters"]["products"] > before["counters"]["products"]
    assert after["shape"]["cores"] == before["shape"]["cores"] != 0
    assert after["interrupts_pending"] == after["interrupts_enabled"] == ["idle"]
    assert simulated.interrupting() == ["poseidon"]
    simulated.clear_interrupts("poseidon", ["idle"])
    assert simulated.interrupting() == []
    # A permutation takes longer than one clock.
    simulated.set_watchdog("poseidon", 1)
    halimede.poseidon.permute(values[:1], device=simulated)
    simulated.set_watchdog("poseidon", 0)
    assert "stalled" in simulated.engine_report("poseidon")["interrupts_pending"]
    simulated.enable_interrupts("poseidon", [])
    assert simulated.engine_report("poseidon")["interrupts_enabled"] == []


def test_windows_that_are_not_there(simulated: halimede.Device) -> None:
    with pytest.raises(halimede.DeviceError, match="has no engine \"none\"; it has .*poseidon"):
        simulated.engine_report("none")
    with pytest.raises(ValueError, match="unknown interrupt \"idel\"; wanted one of error, ignored, idle"):
        simulated.enable_interrupts("poseidon", ["idel"])
    with pytest.raises(OverflowError):
        simulated.set_watchdog("poseidon", 1 << 32)
    for use in (
        lambda: halimede.Device("cpu").engine_report("poseidon"),
        lambda: halimede.Device("cpu").interrupting(),
    ):
        with pytest.raises(halimede.DeviceError, match="only cards have them"):
            use()


def test_what_the_card_lacks_is_a_device_error(simulated: halimede.Device, tmp_path: Path) -> None:
    values = states(5, 17)
    with pytest.raises(halimede.DeviceError, match="device sim cannot do poseidon.permute"):
        halimede.poseidon.permute(values, "filecoin-16", simulated)
    path = tmp_path / "leaves"
    path.write_bytes(states(16, 1).tobytes())
    for source in (path, path.read_bytes()):
        with pytest.raises(halimede.DeviceError, match="cannot do poseidon.filecoin_hash"):
            halimede.poseidon.tree_root(source, 16, device=simulated)
    with pytest.raises(ValueError, match="row 0"):
        halimede.poseidon.permute([1, 2, 1 << 255], device=simulated)


def test_the_fallback_answers_what_the_card_lacks(simulated: halimede.Device) -> None:
    values = states(5, 17)
    with halimede.Device("sim", fallback="cpu", time_limit=5) as device:
        assert device.capabilities["fallback"] == "cpu"
        assert np.array_equal(
            halimede.poseidon.permute(values, "filecoin-16", device),
            halimede.poseidon.permute(values, "filecoin-16"),
        )


def test_a_backend_that_is_not_here_is_an_error() -> None:
    calls = (
        "halimede.starknet.hash(1, 2)",
        "halimede.Device('cpu')",
        "halimede.starknet.Hasher()",
        "halimede.blake3.hash(b'1')",
        "halimede.blake3.Hasher()",
        "halimede.equihash.solve(b'1', 48, 5)",
        "halimede.ecdsa.verify(b'', b'', b'')",
        "halimede.ckks.Parameters.preset('n14')",
        "halimede.ckks.Parameters.build(slots=16)",
    )
    for call in calls:
        program = f"import halimede\ntry: {call}\nexcept halimede.DeviceError as error: print(error)"
        environment = {**os.environ, "HALIMEDE_BACKEND": "avx3"}
        printed = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True
        )
        assert printed.returncode == 0, printed.stderr
        assert "HALIMEDE_BACKEND" in printed.stdout and "avx3" in printed.stdout


INTERRUPTED_ON_A_CARD = """
import os, signal, threading, time
import numpy as np
import halimede

# A shell's background jobs are started with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
with halimede.Device("sim", time_limit=60) as device:
    # A million clocks, of which the simulated card makes less than a hundred thousand a second.
    values = np.arange(400 * 12 * 4, dtype=np.uint64).reshape(-1, 12, 4)
    sent = []
    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.5, interrupt).start()
    try:
        halimede.poseidon.permute(values, "filecoin-11", device)
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0])
    assert halimede.starknet.hash(1, 2, device) == halimede.starknet.hash(1, 2)
"""


@pytest.mark.usefixtures("simulated")
def test_ctrl_c_ends_a_batch_on_a_card_early() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_ON_A_CARD], capture_output=True, text=True, timeout=180
    )
    # A batch that was not interrupted prints nothing; the card works again afterwards.
    assert done.returncode == 0 and done.stdout, done.stderr
    # The whole batch takes more than ten seconds.
    assert float(done.stdout) < 5


def test_the_fallback_answers_for_a_card_that_cannot_be_opened(tmp_path: Path) -> None:
    values = states(5, 3)
    for name in ("sim:/nonexistent/socket", "uart:/nonexistent/tty"):
        with halimede.Device(name, fallback="cpu", time_limit=0.2) as device:
            assert device.capabilities["absent"]
            answers = halimede.poseidon.permute(values, device=device)
            assert np.array_equal(answers, halimede.poseidon.permute(values))
    with pytest.raises(halimede.DeviceError, match="there is no such device"):
        halimede.Device("gpu", fallback="cpu")
