# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Deliberate faults in a design, to show that a bench or a proof detects them.

A mutant is a change of text in one source file. Each old text must be found exactly once, so that a
mutant cannot silently become no change when the source is edited.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


class MutantDoesNotApply(ValueError):
    """The text that a mutant replaces is not in the source, or occurs more than once."""


@dataclass(frozen=True)
class Mutant:
    """A fault in module `module`: each (old, new) of `changes` is replaced in its source file. A
    proof's mutant without a module is one of the proof's design."""

    module: str
    what: str
    changes: tuple[tuple[str, str], ...]

    def apply(self, source: str) -> str:
        """The source with the fault."""
        for old, new in self.changes:
            count = source.count(old)
            if count != 1 or old == new:
                raise MutantDoesNotApply(f"{self.module}: `{old}` occurs {count} times")
            source = source.replace(old, new)
        return source

    def sources(self, files: Sequence[Path], folder: Path) -> list[Path]:
        """`files` with a faulty copy, which is written to `folder`, instead of the module's
        file."""
        if self.module not in {file.stem for file in files}:
            raise MutantDoesNotApply(f"{self.module} is not among the sources")
        folder.mkdir(parents=True, exist_ok=True)
        changed = []
        for file in files:
            if file.stem == self.module:
                copy = folder / file.name
                text = self.apply(file.read_text())
                # The same text keeps its time stamp and so the results that were built from it.
                if not copy.exists() or copy.read_text() != text:
                    # Parallel benches write and read the same.
                    fresh = copy.with_suffix(f".{os.getpid()}")
                    fresh.write_text(text)
                    fresh.replace(copy)
                file = copy
            changed.append(file)
        return changed


def fault(what: str, *texts: str, module: str = "") -> Mutant:
    """A mutant from its texts: old, new, old, new, and so on."""
    return Mutant(module, what, tuple(zip(texts[::2], texts[1::2], strict=True)))
