# SPDX-License-Identifier: Apache-2.0 OR MIT
"""frame_router: every frame is complete and in order at its port; a cut-off frame leaves no
rest."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import start

PORTS = 3
ABANDON = 0b011  # port 2 keeps its frames, like the control engine


def random_frames(rng, count):
    """[(port, beats)]: a beat holds the frame's number, its place, and whether it is the last."""
    frames = []
    for number in range(count):
        length = rng.choice((1, 1, 2, 3, 10))
        frames.append(
            (
                rng.randrange(PORTS),
                [number << 16 | place << 1 | (place == length - 1) for place in range(length)],
            )
        )
    return frames


async def drive(dut, rng, frames, pause):
    """Offers the frames; in_port_i is random while nothing is offered."""
    for port, beats in frames:
        for beat in beats:
            while rng.random() < pause:
                dut.in_valid_i.value = 0
                dut.in_port_i.value = rng.randrange(PORTS)
                await RisingEdge(dut.clk_i)
            dut.in_valid_i.value = 1
            dut.in_data_i.value, dut.in_last_i.value, dut.in_port_i.value = beat, beat & 1, port
            for _ in range(10_000):
                await ReadOnly()
                taken = int(dut.in_ready_o.value)
                await RisingEdge(dut.clk_i)
                if taken:
                    break
            else:
                raise AssertionError("the router stalls")
    dut.in_valid_i.value = 0


async def watch(dut, rng, seen, resets, pause, abandon_chance):
    """Accepts beats on every port with pauses, and raises abandon_i at times for 1 to 3 clocks."""
    left = 0
    while True:
        left = left - 1 if left else (rng.randrange(1, 4) if rng.random() < abandon_chance else 0)
        dut.abandon_i.value = int(left > 0)
        dut.out_ready_i.value = sum((rng.random() >= pause) << p for p in range(PORTS))
        await ReadOnly()
        valid, ready = int(dut.out_valid_o.value), int(dut.out_ready_i.value)
        assert valid & (valid - 1) == 0, "a beat offered to two ports"
        for port in range(PORTS):
            if (valid & ready) >> port & 1:
                assert int(dut.out_last_o.value) == int(dut.out_data_o.value) & 1
                seen[port].append(int(dut.out_data_o.value))
        if left:
            assert valid & ABANDON == 0
            for port in range(2):
                if not seen[port] or seen[port][-1] != "reset":
                    seen[port].append("reset")
            resets.append(1)
        await RisingEdge(dut.clk_i)


async def begin(dut):
    await start(
        dut, in_valid_i=0, in_data_i=0, in_last_i=0, in_port_i=0, abandon_i=0, out_ready_i=0
    )


async def run(dut, name, pause, abandon_chance):
    rng = random_source(name)
    frames = random_frames(rng, 500)
    seen, resets = [[] for _ in range(PORTS)], []
    watcher = cocotb.start_soon(watch(dut, rng, seen, resets, pause, abandon_chance))
    await drive(dut, rng, frames, pause)
    await RisingEdge(dut.clk_i)
    watcher.cancel()
    return frames, seen, len(resets)


@cocotb.test()
async def frames_arrive_in_order(dut):
    await begin(dut)
    for pause in (0.0, 0.3, 0.7):
        frames, seen, _ = await run(dut, f"order {pause}", pause, 0.0)
        for port in range(PORTS):
            assert seen[port] == [beat for p, beats in frames if p == port for beat in beats]


@cocotb.test()
async def broken_off_frames_leave_no_rest(dut):
    await begin(dut)
    frames, seen, resets = await run(dut, "abandon", 0.3, 0.02)
    assert resets > 10
    assert seen[2] == [beat for p, beats in frames if p == 2 for beat in beats]
    cut = 0
    for port in range(2):
        sent = {beats[0] >> 16: beats for p, beats in frames if p == port}
        arrived: dict[int, list] = {}
        open_frame = None
        for item in seen[port]:
            if item == "reset":
                open_frame = None  # the next beat must be a header
                continue
            number = item >> 16
            if open_frame is None:
                assert item >> 1 & 0x7FFF == 0, f"frame {number} continues after it was cut off"
            else:
                assert number == open_frame
            arrived.setdefault(number, []).append(item)
            open_frame = None if item & 1 else number
        assert arrived.keys() == sent.keys(), "a frame that had not begun was lost"
        for number, beats in arrived.items():
            assert beats == sent[number][: len(beats)]
            cut += len(beats) < len(sent[number])
    assert cut > 3


LINTS = [Lint("frame_router", {"Ports": PORTS, "AbandonPorts": ABANDON})]


def test_frame_router():
    run_bench(__file__, "frame_router", {"Ports": PORTS, "AbandonPorts": ABANDON})
