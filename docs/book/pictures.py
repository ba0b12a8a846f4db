# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Draws the pictures of the book's concepts, docs/pictures/*.svg.

    python -m docs.book.pictures            write them
    python -m docs.book.pictures --check    exit 1 if one is not up to date; write nothing
"""

import argparse
import sys
from collections.abc import Mapping

from arith.microcode.generate import write_or_check
from arith.simulation.toolchain import PROJECT_ROOT
from docs.book.drawing import Drawing

FOLDER = PROJECT_ROOT / "docs" / "pictures"


def request() -> Drawing:
    """The path from a call to its replies."""
    drawing = Drawing(720, 470, "How a request travels from the host library to an engine and back")
    drawing.text(20, 24, "The host", size=15, bold=True)
    drawing.box(20, 40, 150, 62, ["A program", "Rust, Python, C,", "the command, HTTP"])
    drawing.box(20, 150, 150, 78, ["Device", "pieces, retries,", "fallback: once,", "before any executor"], strong=True)
    drawing.box(10, 300, 170, 62, ["Executor: processor", "eight lanes at once,", "on all cores"])
    drawing.box(235, 150, 140, 78, ["Executor: card", "a window of requests", "in flight, an index", "for each"], strong=True)
    drawing.box(235, 40, 140, 62, ["Codec", "from fields to a frame", "with a checksum"])
    drawing.box(235, 300, 140, 62, ["Transport", "PCIe, serial line,", "socket"])
    drawing.line((414, 12), (414, 458), dashed=True)
    drawing.text(430, 24, "The card", size=15, bold=True)
    drawing.box(440, 300, 130, 62, ["frame_decoder", "length, command;", "ignores bad frames"])
    drawing.box(440, 215, 130, 52, ["frame_router", "a frame to its engine"])
    drawing.box(440, 130, 130, 52, ["request_queue", "4 KiB per engine"])
    drawing.box(440, 40, 130, 58, ["Engine", "many jobs at once,", "answers as they end"], strong=True)
    drawing.box(590, 130, 126, 52, ["reply_path", "one frame at a time"])
    drawing.box(590, 300, 126, 62, ["AXI4-Stream", "out"])
    drawing.arrow((85, 102), (85, 150))
    drawing.text(93, 130, "a batch", kind="faint", size=11)
    drawing.arrow((85, 228), (85, 300))
    drawing.arrow((170, 180), (235, 180))
    drawing.arrow((290, 150), (290, 102))
    drawing.arrow((320, 102), (320, 150))
    drawing.text(326, 130, "frame", kind="faint", size=11)
    drawing.arrow((290, 228), (290, 300))
    drawing.arrow((320, 300), (320, 228))
    drawing.arrow((375, 322), (440, 322))
    drawing.text(378, 315, "bytes", kind="faint", size=11)
    drawing.arrow((500, 300), (500, 267))
    drawing.arrow((500, 215), (500, 182))
    drawing.arrow((500, 130), (500, 98))
    drawing.arrow((570, 69), (645, 69), (645, 130))
    drawing.arrow((645, 182), (645, 300))
    drawing.arrow((645, 362), (645, 420), (305, 420), (305, 362))
    drawing.text(430, 412, "replies: index, answer, CRC-32C", kind="faint", size=11)
    drawing.arrow((235, 205), (170, 205))
    drawing.text(176, 172, "pieces", kind="faint", size=11)
    drawing.text(176, 220, "replies", kind="faint", size=11)
    drawing.text(20, 412, "The same request gives the", kind="faint", size=12)
    drawing.text(20, 430, "same bytes on both paths.", kind="faint", size=12)
    return drawing


def card_blocks() -> Drawing:
    """The blocks between the streams."""
    drawing = Drawing(720, 430, "The blocks of the card between its two streams and its registers")
    drawing.text(20, 26, "AXI4-Stream in", kind="faint")
    drawing.text(20, 416, "AXI4-Stream out", kind="faint")
    drawing.text(700, 26, "AXI4-Lite", "end", kind="faint")
    drawing.box(20, 50, 150, 52, ["frame_decoder", "frames, or an ignore"])
    drawing.box(20, 140, 150, 52, ["frame_router", "one port per engine"])
    drawing.box(20, 330, 150, 52, ["reply_path", "whole frames, in turns"])
    drawing.box(540, 50, 160, 52, ["axi_lite_slave", "the same registers"])
    drawing.box(540, 140, 160, 68, ["register_file", "engine_window: 4 KiB,", "counters, interrupts"])
    drawing.box(535, 330, 175, 52, ["soft_reset_sequencer", "holds a reset for 16 clocks"])
    drawing.box(220, 40, 270, 52, ["control_engine", "reset, status, registers"])
    for place, (name, text) in enumerate((("Poseidon", "field_core"), ("BLAKE3", "a block per clock"),
                                          ("secp256k1", "field_core"), ("…", "one engine per port"))):
        y = 110 + place * 62
        drawing.box(216, y, 126, 48, ["request_queue", "engine_guard"])
        drawing.box(372, y, 118, 48, [name, text], strong=True)
        drawing.arrow((342, y + 24), (372, y + 24))
        drawing.line((170, 166), (195, 166), (195, y + 16))
        drawing.arrow((195, y + 16), (216, y + 16))
        drawing.line((490, y + 24), (515, y + 24), (515, 372))
    drawing.arrow((515, 372), (515, 395), (250, 395), (250, 362), (170, 362))
    drawing.arrow((60, 32), (60, 50))
    drawing.arrow((95, 102), (95, 140))
    drawing.line((170, 156), (195, 156), (195, 66))
    drawing.arrow((195, 66), (220, 66))
    drawing.line((170, 76), (182, 76), (182, 344))
    drawing.arrow((182, 344), (170, 344))
    drawing.text(26, 250, "headers of ignored", kind="faint", size=11)
    drawing.text(26, 265, "frames go straight", kind="faint", size=11)
    drawing.text(26, 280, "to the replies", kind="faint", size=11)
    drawing.arrow((95, 382), (95, 402))
    drawing.arrow((620, 32), (620, 50))
    drawing.arrow((620, 102), (620, 140))
    drawing.line((490, 80), (515, 80), (515, 140))
    drawing.line((490, 60), (525, 60), (525, 174))
    drawing.arrow((525, 174), (540, 174))
    drawing.arrow((620, 208), (620, 330))
    drawing.text(612, 270, "control", "end", kind="faint", size=11)
    return drawing


def ckks_level() -> Drawing:
    """From a fresh ciphertext down to level 0, and up again."""
    drawing = Drawing(720, 400, "The life of a CKKS level: products go down, a bootstrap goes up")
    steps = [
        (5, "encrypt", "a fresh ciphertext of the parameters n14 has five levels"),
        (5, "x + y, rotate", "sums and rotations consume no level"),
        (4, "x · y", "relinearized by a key switch, then divided by the level's primes"),
        (3, "matrix · x", "all diagonals together: one level, one division"),
        (1, "polynomial of degree 3", "degree d consumes ⌈log₂(d + 1)⌉ levels, here two"),
        (0, "x · y", "the last product: its result can be decrypted, not multiplied"),
    ]
    for place, (level, name, text) in enumerate(steps):
        y, width = 46 + place * 46, 40 + level * 34
        drawing.bar(70, y, width, 28, "first" if level else "third")
        drawing.text(60, y + 19, str(level), "end", bold=True)
        drawing.text(330, y + 13, name, bold=True)
        drawing.text(330, y + 28, text, kind="faint", size=11)
        if place < len(steps) - 1:
            drawing.arrow((78 + steps[place + 1][0] * 34, y + 28), (78 + steps[place + 1][0] * 34, y + 46))
    drawing.text(20, 30, "level", kind="faint")
    drawing.text(70, 30, "the remaining modulus (not to scale)", kind="faint")
    drawing.arrow((90, 304), (90, 346))
    drawing.bar(70, 346, 210, 28, "first")
    drawing.text(330, 358, "bootstrap", bold=True)
    drawing.text(330, 374, "back up; n16-boot has 9 levels after it, 22 bits of precision", kind="faint", size=11)
    return drawing


def coprocessor() -> Drawing:
    """The coprocessor's parts and one context."""
    drawing = Drawing(720, 350, "The BLS12-381 coprocessor: contexts, sequencer, core")
    drawing.box(20, 60, 120, 66, ["The host", "frames, or words", "of a window"])
    drawing.box(190, 40, 150, 106, ["Contexts", "each: 512 instructions,", "256 slots, a pointer,", "an error word, a limit", "up to 16 share a core"])
    drawing.box(190, 190, 150, 60, ["Sequencer", "fetches, checks,", "does steps"], strong=True)
    drawing.box(400, 175, 150, 90, ["field_core", "384 bits; one multiplier,", "jobs of all contexts", "in turns"], strong=True)
    drawing.box(590, 50, 110, 70, ["Interrupts", "16 bytes, and", "48 per slot"])
    drawing.box(400, 44, 150, 82, ["Slots", "381 bits and a kind:", "a number, a point,", "an element of Fp12"])
    drawing.arrow((140, 93), (190, 93))
    drawing.text(146, 86, "write", kind="faint", size=11)
    drawing.arrow((265, 146), (265, 190))
    drawing.text(273, 172, "instruction", kind="faint", size=11)
    drawing.arrow((340, 210), (400, 210))
    drawing.text(374, 203, "jobs", kind="faint", size=11)
    drawing.arrow((440, 175), (440, 126))
    drawing.text(448, 155, "results", kind="faint", size=11)
    drawing.line((400, 85), (370, 85), (370, 230))
    drawing.arrow((370, 230), (340, 230))
    drawing.text(377, 160, "operands", kind="faint", size=11)
    drawing.arrow((550, 85), (590, 85))
    drawing.arrow((645, 120), (645, 300), (80, 300), (80, 126))
    drawing.text(200, 318, "SEND_INTERRUPT, or an error that stopped the context", kind="faint", size=11)
    return drawing


def texts() -> Mapping[str, str]:
    """Returns the pictures, by file name."""
    return {
        "request.svg": request().svg(), "card-blocks.svg": card_blocks().svg(),
        "ckks-level.svg": ckks_level().svg(), "coprocessor.svg": coprocessor().svg(),
    }


def main() -> int:
    """Runs the command and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs.book.pictures", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if pictures are not up to date")
    options = parser.parse_args()
    same = [write_or_check(FOLDER / name, text, options.check) for name, text in texts().items()]
    return int(options.check and not all(same))


if __name__ == "__main__":
    sys.exit(main())
