# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A proof: a top module that contains a design and its properties, and faults of the design that
the properties must detect."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from arith.simulation.mutate import Mutant


@dataclass(frozen=True)
class Proof:
    """A proof by k-induction. `top` is a module of a folder named `formal`, by default that of the
    design, whose name is by default that of the proof.

    `depth` is k: the properties hold in the first k steps, and k consecutive steps in which they
    hold are followed by one in which they hold. `cover_depth` is the number of steps within which
    each cover statement must be reached. A mutant must be refuted by a trace from the reset of at
    most `mutant_depth` steps; a proof that merely no longer closes is not a refutation. The trace
    must break one of the promises: for mutants, the top's parameter `Invariants` is 0, which leaves
    out the statements about the design's internals that only close the induction.
    """

    name: str
    top: str = ""
    design: str = ""
    depth: int = 2
    mutants: tuple[Mutant, ...] = ()
    parameters: Mapping[str, int] = field(default_factory=dict)
    cover_depth: int = 20
    mutant_depth: int = 20
    # One of the longest proofs: proved in sweeps and by `make formal`.
    is_long: bool = False
    # Several clocks: a step is then any instant, and each clock moves at arbitrary times.
    several_clocks: bool = False
    # Modules that replace those of the design, in a folder `models` next to the proof or in arith.
    models: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        design = self.design or self.name
        mutants = tuple(replace(mutant, module=mutant.module or design) for mutant in self.mutants)
        for name, value in (("design", design), ("top", self.top or f"{design}_proof"), ("mutants", mutants)):
            object.__setattr__(self, name, value)
