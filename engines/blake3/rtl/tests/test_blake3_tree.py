# SPDX-License-Identifier: Apache-2.0 OR MIT
"""blake3_tree on trees of up to 2^54 chunks, and blake3_compress with any 64-bit counter.

A message of 2^64 bytes cannot be hashed here, but its tree can be joined: the nodes of some level
are input, with values made up by the bench, and each parent that comes out is input again.
"""

import random
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import in_sweep, random_source, run_bench, setting
from arith.simulation.streams import start
from engines.blake3.model.compression import compress
from engines.blake3.model.hashing import to_words

RING = 9  # clocks from a parent to the tag of its value
AHEAD = 5  # clocks from a tag to its value
# tag_t, from its low end: bits of level, block, on_edge, mode, last_bytes, last_block, place.
LEVEL, ON_EDGE, MODE, PLACE, MESSAGE, KIND = 0, 10, 11, 24, 78, 94
KIND_PARENT = 1


def tag_of(message: int, level: int, place: int, on_edge: bool, mode: int) -> int:
    return (level << LEVEL | int(on_edge) << ON_EDGE | mode << MODE | place << PLACE
            | message << MESSAGE | KIND_PARENT << KIND)


def field_of(tag: int, low: int, bits: int) -> int:
    return tag >> low & (1 << bits) - 1


@dataclass
class Node:
    """A node, its value, and its range of base nodes."""

    message: int
    level: int
    place: int
    on_edge: bool
    value: int
    first: int
    last: int

    def tag(self) -> int:
        return tag_of(self.message, self.level, self.place, self.on_edge, self.message % 4)


class Ring:
    """Inputs nodes, tracks the parents, and checks the children of each parent."""

    def __init__(self, dut: Any, rng: random.Random) -> None:
        self.dut, self.rng = dut, rng
        self.clock = 0
        self.due: dict[int, Node] = {}        # the node whose tag is input at a clock
        self.values: dict[int, Node] = {}     # the node whose value is input
        self.results: dict[int, Node] = {}    # the node whose parent may come out
        self.nodes: dict[int, Node] = {}      # by value
        self.bases: dict[int, int] = {}       # message: the level of the input nodes
        self.counts: dict[int, int] = {}      # and their number
        self.roots: dict[int, Node] = {}
        self.kept: dict[int, int] = defaultdict(int)
        self.parents: dict[int, int] = defaultdict(int)
        self.dropped: int | None = None

    def new(self, message: int, level: int, place: int, on_edge: bool, first: int, last: int
            ) -> Node:
        node = Node(message, level, place, on_edge, self.rng.getrandbits(256), first, last)
        self.nodes[node.value] = node
        return node

    async def begin(self, message: int, chunks: int, base: int) -> list[Node]:
        """Begins a message; returns the nodes of level `base`, of which the last is on the edge."""
        await self.tick(begin=(message, chunks - 1))
        count = (chunks - 1 >> base) + 1
        self.bases[message], self.counts[message] = base, count
        return [self.new(message, base, i, i == count - 1, i, i) for i in range(count)]

    async def tick(self, begin: tuple[int, int] | None = None) -> None:
        dut, none = self.dut, None
        dut.begin_i.value = int(begin is not none)
        if begin:
            dut.begin_message_i.value, dut.begin_last_i.value = begin
        node = self.due.pop(self.clock, none)
        dut.node_valid_i.value = int(node is not none)
        dut.node_tag_i.value = node.tag() if node else self.rng.getrandbits(96)
        if node:
            self.values[self.clock + AHEAD] = node
            self.results[self.clock + AHEAD + 1] = node
        valued = self.values.pop(self.clock, none)
        dut.node_value_i.value = valued.value if valued else self.rng.getrandbits(256)
        dut.drop_i.value = int(self.dropped is not none)
        dut.drop_message_i.value = self.dropped or 0
        await ReadOnly()
        self.look(self.results.pop(self.clock, none))
        await RisingEdge(dut.clk_i)
        self.clock += 1

    def look(self, node: Node | None) -> None:
        """Checks the output for this node, a clock after its value."""
        joined, kept = int(self.dut.parent_valid_o.value), int(self.dut.kept_o.value)
        assert joined + kept == int(node is not None)
        if node is None:
            return
        if kept:
            assert int(self.dut.kept_message_o.value) == node.message
            self.kept[node.message] += 1
            return
        self.parents[node.message] += 1
        block, tag = int(self.dut.parent_block_o.value), int(self.dut.parent_tag_o.value)
        left = self.nodes.pop(block & (1 << 256) - 1)
        right = self.nodes.pop(block >> 256)
        assert node in (left, right) and left.message == right.message == node.message
        assert left.last + 1 == right.first and not left.on_edge
        level, place = field_of(tag, LEVEL, 6), field_of(tag, PLACE, 54)
        on_edge = bool(field_of(tag, ON_EDGE, 1))
        assert field_of(tag, MESSAGE, 8) == node.message
        assert field_of(tag, MODE, 2) == node.message % 4 and field_of(tag, KIND, 2) == KIND_PARENT
        # The left child is a complete tree of a power of two of nodes, as large as possible.
        width = left.last - left.first + 1
        assert width == 1 << level - 1 - self.bases[node.message] >= right.last - right.first + 1
        assert place == left.first // (2 * width) and on_edge == right.on_edge
        whole = left.first == 0 and right.last == self.counts[node.message] - 1
        assert int(self.dut.parent_root_o.value) == int(whole)
        parent = self.new(node.message, level, place, on_edge, left.first, right.last)
        if whole:
            self.roots[node.message] = parent
        else:
            self.due[self.clock + RING] = parent

    async def put(self, node: Node) -> None:
        """Inputs a node as soon as the ring has a free slot."""
        while self.clock in self.due:
            await self.tick()
        self.due[self.clock] = node
        await self.tick()


async def _start(dut: Any, name: object) -> Ring:
    await start(dut, begin_i=0, begin_message_i=0, begin_last_i=0, node_valid_i=0, node_tag_i=0,
                node_value_i=0, drop_i=0, drop_message_i=0)
    return Ring(dut, random_source(name))


def random_tree(rng: random.Random) -> tuple[int, int]:
    """Chunks of a message, and the level whose nodes, 2 to 40, are input."""
    base = rng.choice((0, 0, 1, 21, 22, 31, 32, 33, 47, 48, rng.randrange(49)))
    nodes = rng.choice((2, 3, 4, 5, 8, 31, 32, 33, rng.randint(2, 40)))
    chunks = (nodes - 1 << base) + rng.randint(1, 1 << base)
    return chunks, base


@cocotb.test()
async def trees_of_every_size(dut: Any) -> None:
    """Several messages at a time; the node on the edge may precede any of its neighbors."""
    ring = await _start(dut, "trees")
    for _ in range(12):
        ring.roots.clear()
        waiting: list[list[Node]] = []
        for message in ring.rng.sample(range(int(setting("messages"))), 4):
            nodes = await ring.begin(message, *random_tree(ring.rng))
            early = ring.rng.randrange(len(nodes))
            waiting.append([*nodes[:early], nodes[-1], *nodes[early:-1]])
        while any(waiting):
            queue = ring.rng.choice([nodes for nodes in waiting if nodes])
            await ring.put(queue.pop(0))
            for _ in range(ring.rng.choice((0, 0, 0, 1, 30))):
                await ring.tick()
        for _ in range(60 * RING):
            await ring.tick()
        assert len(ring.roots) == 4


@cocotb.test()
async def the_longest_message(dut: Any) -> None:
    """2^54 chunks: the root's children are on level 53. And one chunk more than 2^53."""
    ring = await _start(dut, "longest")
    for chunks in (1 << 54, (1 << 53) + 1, (1 << 54) - (1 << 49) + 1):
        ring.roots.clear()
        nodes = await ring.begin(1, chunks, 49)
        for node in nodes:
            await ring.put(node)
        for _ in range(60 * RING):
            await ring.tick()
        assert ring.roots[1].level == 54


@cocotb.test()
async def a_dropped_message_ends(dut: Any) -> None:
    """All its nodes are kept from then on; its slot is reused by the next message."""
    ring = await _start(dut, "dropped")
    for _ in range(8):
        ring.kept.clear()
        ring.parents.clear()
        nodes = await ring.begin(2, 40, 0)
        early = ring.rng.randrange(39)
        order = [*nodes[:early], nodes[-1], *nodes[early:-1]]
        cut = ring.rng.randrange(1, 40)
        for node in order[:cut]:
            await ring.put(node)
        for _ in range(ring.rng.randrange(20)):
            await ring.tick()
        ring.dropped = 2
        await ring.tick()
        await ring.tick()
        joined = ring.parents[2]
        for node in order[cut:]:
            await ring.put(node)
        for _ in range(3 * RING):
            await ring.tick()
        # Each piece of work has ended once: an input node, or a parent that came out, was kept, or
        # continued as a parent.
        assert ring.parents[2] == joined and not ring.due and 2 not in ring.roots
        assert ring.kept[2] == len(nodes)
        ring.dropped = None


@cocotb.test()
async def compressions_with_any_counter(dut: Any) -> None:
    """Random inputs in every bit, a block a clock with pauses; tag and value come in time."""
    rng, stages = random_source("compress"), 7 * int(setting("stages"))
    await start(dut, issue_valid_i=0, issue_i=0, issue_tag_i=0)
    expected: dict[int, tuple[list[int], list[int]]] = {}
    tags: dict[int, int] = {}
    for clock in range(200 + stages):
        valid = clock < 200 and rng.random() < 0.7
        value, block = rng.randbytes(32), rng.randbytes(64)
        counter = rng.choice((rng.getrandbits(64), (1 << 32) - 1, 1 << 32, (1 << 64) - 1))
        size, flags, tag = rng.randint(0, 64), rng.getrandbits(7), rng.getrandbits(96)
        dut.issue_valid_i.value, dut.issue_tag_i.value = int(valid), tag
        dut.issue_i.value = (int.from_bytes(value, "little") << 590
                             | int.from_bytes(block, "little") << 78 | counter << 14 | size << 7
                             | flags)
        if valid:
            words = to_words(value)
            result = compress(words, block, counter, size, flags)
            high = [a ^ b for a, b in zip(result[8:], words, strict=True)]
            expected[clock + stages] = (result[:8], high)
            tags[clock + stages - AHEAD] = tag
        await ReadOnly()
        assert int(dut.ahead_valid_o.value) == int(clock in tags)
        if clock in tags:
            assert int(dut.ahead_tag_o.value) == tags.pop(clock)
        if clock in expected:
            for port, want in zip((dut.value_o, dut.high_o), expected.pop(clock), strict=True):
                assert to_words(int(port.value).to_bytes(32, "little")) == want
        await RisingEdge(dut.clk_i)
    assert not expected and not tags


def test_blake3_tree() -> None:
    run_bench(__file__, "blake3_tree", {"Messages": 8}, settings={"messages": 8},
              tests="trees_of|longest|a_dropped")


@pytest.mark.parametrize("stages", [1, 8, *in_sweep([2])])
def test_blake3_compress(stages: int) -> None:
    run_bench(__file__, "blake3_compress", {"StagesPerRound": stages},
              settings={"stages": stages}, tests="compressions", optimize="-O0")
