# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the simulated card, halimede-card-sim, unless it is built already.

python -m card.sim.build            build/card-sim/halimede-card-sim
python -m card.sim.build --trace    build/card-sim/halimede-card-sim-trace: can write waveforms
python -m card.sim.build --memory   build/card-sim/halimede-card-sim-memory: only the engines that
                                    have a memory, with their simulated parameters
python -m card.sim.build --engine NAME
                                    build/card-sim/halimede-card-sim-NAME: only that engine, which
                                    the default card does not have (`simulated = false`)
python -m card.sim.build --name narrow StreamBytes=8
                                    build/card-sim/halimede-card-sim-narrow: with parameters that
                                    differ from those in the manifests

Prints the program's path. Exit codes: 1: the build failed; 4: Verilator or a compiler is missing.
"""

import argparse
import hashlib
import os
import re
import sys
from pathlib import Path

from arith.simulation import verilate
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT, ToolMissing
from card.spec.specification import load

TOP = "card_top"
# The top with the engines that have a memory of the card, which is simulated as well.
MEMORY_TOP = "memory_card_top"
FOLDER = PROJECT_ROOT / "card" / "sim"
MEMORIES = PROJECT_ROOT / "arith" / "simulation" / "memories.vlt"
HEADER = PROJECT_ROOT / "card" / "include" / "halimede_card.h"


def engine_mask(*names: str) -> int:
    """The parameter Engines of card_top: a mask of capability bits."""
    bits = {capability.name: capability.value for capability in load().capabilities}
    return sum(1 << bits[name] for name in names)


# The bytes per beat of the default card's stream.
STREAM_BYTES = 64
# The default card: every engine that its manifest does not exclude, with its simulated parameters.
ENGINES = tuple(module for module in load().modules if module.simulated)
PARAMETERS = {
    "StreamBytes": STREAM_BYTES,
    "Engines": engine_mask(*(module.engine for module in ENGINES)),
    **{p.name: p.simulated for module in ENGINES for p in module.parameters},
}
MEMORY_ENGINES = tuple(module for module in load().modules if module.memories)
MEMORY_PARAMETERS = {
    "StreamBytes": STREAM_BYTES,
    "Engines": engine_mask(*(module.engine for module in MEMORY_ENGINES)),
    **{p.name: p.simulated for module in MEMORY_ENGINES for p in module.parameters},
}


# Engines that are not in the default card and need no memory: each has its own card.
LONE_ENGINES = {module.engine: module for module in load().modules
                if not module.simulated and not module.memories}


def lone_parameters(engine: str) -> dict[str, int]:
    """The parameters of the card with only this engine."""
    return {
        "StreamBytes": STREAM_BYTES,
        "Engines": engine_mask(engine),
        **{p.name: p.simulated for p in LONE_ENGINES[engine].parameters},
    }


def build_id(sources: list[Path]) -> int:
    """31 bits that change with every source of the card."""
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.read_bytes())
    return int.from_bytes(digest.digest()[:4], "little") >> 1


def build(trace: bool = False, name: str = "halimede-card-sim", memory: bool = False,
          engine: str | None = None, changed: Mutant | None = None, **parameters: int) -> Path:
    """The program's path, below build/card-sim. It is rebuilt only if a source has changed.

    `memory` selects the engines that have a memory instead of the others, `engine` one of
    LONE_ENGINES. Other `parameters` than the defaults make a different card, which needs a `name`.
    Such a card serves only a few tests, and is compiled with a short build time instead of a high
    speed; with a trace or with a `changed` module, with the shortest build time.
    """
    top = MEMORY_TOP if memory else TOP
    sources = sources_of(top)
    if changed is not None:
        sources = changed.sources(sources, BUILD_ROOT / "mutants" / name)
    # No optimization level here: it would follow `optimize` and override it.
    compiler = f"-Wall -Wextra -I{FOLDER} -I{HEADER.parent}"
    if memory:
        compiler += " -DMEMORY_CARD"
        name += "-memory"
    defaults = MEMORY_PARAMETERS if memory else PARAMETERS
    if engine is not None:
        defaults = lone_parameters(engine)
        # The same time as in engine_guard.
        compiler += f" -DQUIET_CLOCKS={1 << 27}"
        name += f"-{engine}"
    program = verilate.build(
        top,
        sorted(FOLDER.glob("*.cpp")),
        sources=sources,
        parameters={**defaults, "BuildId": build_id(sources), **parameters},
        cpp_headers=[*sorted(FOLDER.glob("*.h")), HEADER, MEMORIES],
        options=["--threads", "1", "--vpi", "-CFLAGS", compiler, str(MEMORIES)],
        optimize=("-O0" if trace or changed else "-O1") if parameters else "-O3",
        waves=trace,
    )
    return install(program, name + ("-trace" if trace else ""))


def install(program: Path, name: str) -> Path:
    """Links a compiled simulator below build/card-sim; returns its path there."""
    target = BUILD_ROOT / "card-sim" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or not target.samefile(program):
        # A link, replaced atomically: a running simulator keeps its file.
        fresh = target.with_name(f"{target.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        os.link(program, fresh)
        fresh.replace(target)
    return target


def parameter(text: str) -> tuple[str, int]:
    """A parameter on the command line, which the card must have."""
    name, equals, value = text.partition("=")
    known = PARAMETERS | MEMORY_PARAMETERS
    for engine in LONE_ENGINES:
        known |= lone_parameters(engine)
    if name not in known:
        raise argparse.ArgumentTypeError(f"the card has no parameter {name!r}")
    if not equals or not value.isascii() or not value.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=NUMBER")
    return name, int(value)


def simulator_name(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]+", text):
        raise argparse.ArgumentTypeError("a name has lower-case letters, digits and hyphens")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m card.sim.build",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trace", action="store_true", help="a simulator that can write waveforms")
    parser.add_argument("--memory", action="store_true",
                        help="a card with only the engines that have a memory")
    parser.add_argument("--engine", choices=sorted(LONE_ENGINES), help="a card with only this one")
    parser.add_argument("--name", type=simulator_name, help="suffix of the simulator's name")
    parser.add_argument("parameters", type=parameter, nargs="*", metavar="NAME=NUMBER",
                        help="a parameter of the card")
    options = parser.parse_args()
    if bool(options.parameters) != (options.name is not None):
        parser.error("--name and parameters must be used together")
    name = f"halimede-card-sim-{options.name}" if options.name else "halimede-card-sim"
    try:
        print(build(options.trace, name, options.memory, options.engine, **dict(options.parameters)))
    except ToolMissing as missing:
        print(f"card.sim.build: {missing}", file=sys.stderr)
        return 4
    except verilate.BuildFailed as failed:
        print(f"card.sim.build: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
