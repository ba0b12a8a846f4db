# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a proof is: a top module that holds a design and its properties, and the faults of the
design that the properties must notice."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from arith.simulation.mutate import Mutant


@dataclass(frozen=True)
class Proof:
    """A proof by k-induction; `top` is a module of a folder named `formal`, by default that of the
    design, which by default has the proof's name.

    `depth` is k: the properties hold in the first k steps, and k steps in a row in which they hold
    are followed by one in which they hold. `cover_depth` is the number of steps within which each
    cover statement must be reached. A mutant must be refuted by a trace from the reset of at most
    `mutant_depth` steps; a proof that merely no longer closes is not a refutation. It must break
    one of the promises: the top's parameter `Invariants` is 0 for it, which leaves out what is only
    said of the design's inside to make the induction close.
    """

    name: str
    top: str = ""
    design: str = ""
    depth: int = 2
    mutants: tuple[Mutant, ...] = ()
    parameters: Mapping[str, int] = field(default_factory=dict)
    cover_depth: int = 20
    mutant_depth: int = 20
    # Of the longest: proved in sweeps and by `make formal`.
    is_long: bool = False
    # Several clocks: a step is then any instant, and each clock moves when it likes.
    several_clocks: bool = False
    # Modules that stand in for those of the design, in a folder `models` beside the proof or in arith.
    models: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        design = self.design or self.name
        mutants = tuple(replace(mutant, module=mutant.module or design) for mutant in self.mutants)
        for name, value in (("design", design), ("top", self.top or f"{design}_proof"), ("mutants", mutants)):
            object.__setattr__(self, name, value)
