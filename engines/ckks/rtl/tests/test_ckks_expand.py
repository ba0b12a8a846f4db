# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_expand against the engine's rule: limbs of many lanes and degrees, primes that reject half
of the words and hardly any, writes that wait, consecutive jobs, their clocks, and resets."""

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from engines.ckks.model import expansion, transform
from engines.ckks.model.layout import Layout
from engines.ckks.rtl.tests.ckks_rows import all_primes, offer, unpacked

ADDRESS_BITS = 10
# log2 of the lanes, double rounds, and the degrees that are tried.
SHAPES = [(3, 10, (5, 10)), (2, 1, (4, 8)), (5, 5, (7, 10))]
SWEPT = [(4, 2, (6, 10)), (6, 10, (8, 10))]


class Bench:
    def __init__(self, dut: Any, log_degree: int, pause: float) -> None:
        self.dut, self.pause = dut, pause
        self.log_lanes = int(setting("LOG_LANES"))
        self.rng = random_source((self.log_lanes, log_degree, pause))
        self.layout = Layout(log_degree, self.log_lanes)
        self.banks = [[0] * (1 << ADDRESS_BITS) for _ in range(self.layout.lanes)]
        self.done: list[int] = []
        self.writes = self.clock = 0
        self._task = cocotb.start_soon(self._run())

    def stop(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        dut, words = self.dut, min(self.layout.lanes, 16)
        waiting = None
        while True:
            ready = self.rng.random() >= self.pause
            dut.write_ready_i.value = int(ready)
            await ReadOnly()
            beat = None
            if int(dut.write_valid_o.value):
                beat = [int(port.value) for port in
                        (dut.write_row_o, dut.write_group_o, dut.write_word_o)]
                if ready:
                    self.writes += 1
                    for place, word in enumerate(unpacked(beat[2], words)):
                        self.banks[beat[1] * words + place][beat[0]] = word
            assert waiting is None or beat == waiting
            waiting = None if ready else beat
            if int(dut.done_valid_o.value):
                self.done.append(int(dut.done_tag_o.value))
            await RisingEdge(dut.clk_i)
            self.clock += 1

    async def begin(self, seed: bytes, stream: int, prime: int, slot: int, tag: int) -> None:
        await offer(self.dut, "job", seed=int.from_bytes(seed, "little"), stream=stream,
                    prime=prime >> 17, bits=prime.bit_length(), tag=tag,
                    result=slot * self.layout.rows)

    def values(self, slot: int) -> list[int]:
        base = slot * self.layout.rows
        return transform.load(self.layout, [bank[base:base + self.layout.rows]
                                            for bank in self.banks])

    async def finished(self, tag: int) -> None:
        for _ in range(100_000):
            if self.done:
                break
            await RisingEdge(self.dut.clk_i)
        assert self.done == [tag]
        self.done.clear()


async def begin(dut: Any) -> None:
    await start(dut, log_degree_i=0, job_valid_i=0, job_seed_i=0, job_stream_i=0, job_prime_i=0,
                job_bits_i=17, job_result_i=0, job_tag_i=0, write_ready_i=0)


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.3])
async def limbs_are_right(dut: Any, pause: float) -> None:
    await begin(dut)
    rng = random_source((pause, setting("LOG_LANES")))
    least = min(prime for prime in all_primes() if prime.bit_length() == 30)
    primes = [least, all_primes()[0], all_primes()[-1], rng.choice(all_primes())]
    for degree in map(int, setting("DEGREES").split()):
        dut.log_degree_i.value = degree
        bench = Bench(dut, degree, pause)
        slots = (1 << ADDRESS_BITS) // bench.layout.rows
        for number in range(6):
            prime = primes[number % len(primes)]
            seed, stream = rng.randbytes(32), rng.getrandbits(48)
            slot, writes, clock = rng.randrange(slots), bench.writes, bench.clock
            await bench.begin(seed, stream, prime, slot, number)
            if number == 3:
                for _ in range(rng.randrange(60 + bench.layout.rows)):
                    await RisingEdge(dut.clk_i)
                bench.stop()
                await reset(dut, clocks=1)
                bench = Bench(dut, degree, pause)
                continue
            await bench.finished(number)
            expected = expansion.uniform(seed, stream, prime, 1 << degree)
            assert bench.values(slot) == expected, f"N = 2^{degree}, {prime}"
            words = min(bench.layout.lanes, 16)
            assert bench.writes - writes == (1 << degree) // words
            if pause == 0.0:
                blocks = (1 << degree) / 16 / (prime / (1 << prime.bit_length()))
                rate = min(int(setting("DOUBLE_ROUNDS")) / 10, words / 16)
                clocks = 1.15 * blocks / rate + 140
                assert bench.clock - clock <= clocks, "slower than it should be"
        bench.stop()


@cocotb.test()
async def other_seeds_and_streams_are_other_limbs(dut: Any) -> None:
    """Each bit of the seed and the stream counts."""
    await begin(dut)
    rng = random_source("bits")
    degree = int(setting("DEGREES").split()[0])
    dut.log_degree_i.value = degree
    bench = Bench(dut, degree, 0.0)
    whole = rng.getrandbits(320)
    for bit in (0, 31, 100, 255, 256, 271, 272, 319):
        changed = whole ^ 1 << bit
        seed = (changed & (1 << 256) - 1).to_bytes(32, "little")
        await bench.begin(seed, changed >> 256, all_primes()[3], 0, 1)
        await bench.finished(1)
        expected = expansion.uniform(seed, changed >> 256, all_primes()[3], 1 << degree)
        assert bench.values(0) == expected
    bench.stop()


def _parameters(shape: tuple[int, int, tuple[int, ...]]) -> dict[str, int]:
    # The number of blocks in flight that the rate needs.
    return {"LogLanes": shape[0], "DoubleRounds": shape[1], "MaxLogDegree": 10,
            "AddressBits": ADDRESS_BITS, "QueueBlocks": 9 * shape[1] + 8}


LINTS = [Lint("ckks_expand", _parameters(shape)) for shape in (*SHAPES, *SWEPT)]


@pytest.mark.parametrize("shape", [*SHAPES[:2], *in_sweep([SHAPES[2], *SWEPT])])
def test_ckks_expand(shape: tuple[int, int, tuple[int, ...]]) -> None:
    run_bench(__file__, "ckks_expand", _parameters(shape), optimize="-O0", settings={
        "LOG_LANES": shape[0], "DOUBLE_ROUNDS": shape[1],
        "DEGREES": " ".join(map(str, shape[2]))})
