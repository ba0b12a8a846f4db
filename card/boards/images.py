# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The tables of the boards' images on docs/boards-capacity.md: the rates of the engines of each
build, next to published cards, and the load of each die."""

from collections.abc import Iterator, Mapping, Sequence

from card.boards.areas import Board, Job, Published, Unit, boards, published
from card.boards.floorplan import Plan, table
from card.boards.rates import rate


def built(plan: Plan) -> dict[str, tuple[Unit, int]]:
    """The units of an image by name, with their number in all copies."""
    total: dict[str, tuple[Unit, int]] = {}
    for item in plan.items:
        for unit, count in item.units:
            total[unit.name] = (unit, total.get(unit.name, (unit, 0))[1] + count)
    return total


def same_dies(board: Board, published_board: str) -> bool:
    """True if a published card's board is this one, or has a whole FPGA with the same dies."""
    other = next(known for known in boards()[1] if known.name == published_board)
    return board.name == other.name or (not board.given and board.has == other.has)


def _compared(count: int, job: Job, board: Board, row: Published | None) -> list[str]:
    """The cells of a published card: its rate and clock, and how many times ours is, at each clock
    request and at its clock."""
    if row is None:
        return ["", "", "", ""]
    ours = count if row.units is None else row.units
    at = [ours * mhz * 1e6 / job.batch_clocks / row.jobs_s
          for mhz in (board.clock_mhz, row.clock_mhz)]
    counted = "" if row.units is None else f", for {row.units} of ours"
    return [row.design.partition(":")[0] + counted, f"{rate(row.jobs_s)} at {row.clock_mhz:g} MHz",
            f"{at[0]:.2f}", f"{at[1]:.2f}"]


def rates(made: Sequence[Plan], compared_mhz: float,
          cards: Sequence[Published] | None = None) -> Iterator[str]:
    """A Markdown table of the jobs per second of each image."""
    yield ("| image | job | units | jobs/s at the requested clock "
           f"| at {compared_mhz:g} MHz | published card | jobs/s | ours at the requested clock "
           "| ours at its clock |")
    yield "|---" * 9 + "|"
    known = published() if cards is None else cards
    # Images with the same row are together.
    rows: dict[str, list[str]] = {}
    for plan in made:
        board = plan.board
        for unit, count in built(plan).values():
            for job in unit.jobs:
                row = next((row for row in known if (row.unit, row.job) == (unit.name, job.name)
                            and same_dies(board, row.board)), None)
                ours = [rate(count * mhz * 1e6 / job.batch_clocks)
                        for mhz in (board.clock_mhz, compared_mhz)]
                cells = [*ours, *_compared(count, job, board, row)]
                text = f"| {unit.engine}: {job.name} | {count} | {' | '.join(cells)} |"
                rows.setdefault(text, []).append(f"`{board.name}`")
    yield from (f"| {', '.join(names)} {text}" for text, names in rows.items())


def section(made: Sequence[Plan], budget: Mapping[str, float], compared_mhz: float) -> list[str]:
    """The section of the page."""
    part = {f"{value:.0%}" for value in budget.values()}
    return [
        "## Images",
        "",
        "The image of a board has all of these engines. `python -m card.boards.floorplan` places "
        "each copy of an engine on a die, so that no die uses more than "
        f"{min(part)} of a resource, or {max(part)} of URAM. The PCIe core, whose area no tool here "
        "measures, has to fit into the rest of the shell's die. Rates are counts. A ratio compares "
        "with the published rate: at the clock that our build requests, and at the published clock.",
        "",
        *rates(made, compared_mhz),
        "",
        "The part of each die that an image uses, and the wires over each boundary:",
        "",
        *table(made),
        "",
    ]
