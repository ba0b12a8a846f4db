# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card.toml as docs/card.md: the frame rules in words, and the tables."""

from __future__ import annotations

from card.spec.specification import Payload, Specification
from card.spec.text import ticked

INTRODUCTION = """\
<!-- Generated from card/spec/card.toml by `python -m card.spec.generate`: do not edit. -->
# The card's protocol, version {major}.{minor}

One byte stream goes to the card and one comes back, whatever the link (PCIe, UART, the simulated
card's socket). Beside them stand registers on AXI4-Lite, which the commands `register_read` and
`register_write` reach through the stream too. Every number is little-endian.

## Frames

| bytes | what |
|---|---|
| 0–3 | length in bytes, this header included, padding excluded |
| 4–7 | command |
| 8– | payload |
| | zero bytes up to the end of the beat: the next frame starts with the next one |

A *beat* is what the stream moves in a clock, {alignment} to {max_alignment} bytes, a power of two: the
register `stream_bytes` and the status tell how many. A host that does not know pads each frame to
{max_alignment}: to a card of shorter beats the zeros behind a frame are idle beats.

(Published descriptions of this protocol print the two words the other way round; the published host
software and RTL put the length first, and so does this card.)

The card reads frames by these rules, and so stays in step on any input:

1. length 0: an idle beat, skipped whole without an answer, whatever stands behind its first {header}
   bytes.
2. length 1 to {below_header}, or above {max_frame}: the header's beat alone is taken and answered with
   `fpga_ignore_rpl`; the next frame starts with the next beat.
3. a command the card does not know, whose engine it does not have, or that does not fit the length:
   the whole frame is skipped and answered with `fpga_ignore_rpl`.
4. anything else goes to the engine. Whether an open-ended payload fits is for the engine to say, in
   its reply's status.

Padding is ignored on the way in and zero on the way out. Replies come in any order; those of one
engine carry the request's index. A host that does not take its replies stalls the card, and loses
nothing.

**Checksums.** A frame whose last field is `checksum` carries there the CRC-32C (Castagnoli:
polynomial 0x1edc6f41 with its bits reflected, initial value and final exclusive-or 0xffffffff; that
of `123456789` is 0xe3069283) of every byte before it, header included, and four zero bytes behind
it, which are checked with it; what pads the frame counts for nothing. A card that finds another
checksum in a request starts nothing and answers `corrupt`, with the index as it came, whatever else
may be wrong with the frame; the host sends the request again, or treats it as any failure of the
link.

**Getting back in step.** Garbage can swallow at most {max_frame} bytes (a length field it happens
to contain). So a host that has lost step writes {max_frame} zero bytes, which complete whatever
frame is open and are idle beats after that, then `reset_fpga` with a fresh nonce, and discards
replies until the one with that nonce. No reply to an earlier request comes after it. That finds the
frames again, not the place within a beat: the links of wide streams lose no bytes, and begin a beat
with each connection (the socket) or each transfer (PCIe, where what a transfer leaves of its last beat
is zero); on a serial line a pause does it.

**Reset.** `reset_fpga` and bit 0 of the register `control` abandon the jobs inside the engines and
empty their queues, the queue of ignore replies included. A frame that is already being sent is
finished whole. A request to an engine that is half in is abandoned as well: its remaining bytes are
swallowed and it gets no answer. Control commands are always answered. The counters go on; only the
hardware reset clears them.
"""


def code(value: int) -> str:
    return f"0x{value >> 16:04x}_{value & 0xFFFF:04x}"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    rows = [[ticked(cell).replace("|", "\\|") for cell in row] for row in rows]
    return (
        ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        + ["| " + " | ".join(row) + " |" for row in rows]
        + [""]
    )


def payload_table(title: str, payload: Payload) -> list[str]:
    if not payload.fields:
        return [f"{title}: no payload.", ""]
    rows = []
    for field in payload.fields:
        first = field.offset_bytes + 8
        where = (
            f"{first}–" if field.size_bytes is None else f"{first}–{first + field.size_bytes - 1}"
        )
        if field.from_end_bytes is not None:
            last = field.from_end_bytes - field.unit_bytes + 1
            where = f"{field.from_end_bytes} to {last} before the end"
        if field.size_bytes == 1:
            where = str(first)
        meaning = "zero" if field.is_zero else field.meaning
        kind = "" if field.is_zero else f"`{field.type}`"
        name = "" if field.is_zero else f"`{field.name}`"
        rows.append([where, kind, name, meaning + (" (may be left out)" if field.optional else "")])
    return [f"{title}:", ""] + table(["bytes", "type", "field", "meaning"], rows)


def emit(spec: Specification) -> str:
    limit = spec.limit
    text = INTRODUCTION.format(
        major=spec.major,
        minor=spec.minor,
        alignment=limit("alignment_bytes"),
        max_alignment=limit("max_alignment_bytes"),
        header=limit("header_bytes"),
        below_header=limit("header_bytes") - 1,
        max_frame=f"{limit('max_frame_bytes'):,}",
    )
    lines = text.split("\n") + ["## Commands", ""]
    lines += table(
        ["command", "code", "reply code", "engine", "meaning"],
        [
            [
                f"`{c.name}`",
                code(c.code),
                code(c.reply_code),
                c.engine + (" (reserved)" if c.reserved else ""),
                c.meaning,
            ]
            for c in spec.commands
        ],
    )
    lines += ["Replies that answer no command:", ""]
    lines += table(
        ["reply", "code", "engine", "meaning"],
        [
            [
                f"`{n.name}`",
                code(n.code),
                n.engine + (" (reserved)" if n.reserved else ""),
                n.meaning,
            ]
            for n in spec.notices
        ],
    )
    lines += [
        "*Reserved*: the code is kept; no card has the engine, and the payload is not final.",
        "",
    ]
    for command in spec.commands:
        lines += [f"### `{command.name}`", "", ticked(command.meaning), ""]
        lines += payload_table("Request", command.request) + payload_table("Reply", command.reply)
    for notice in spec.notices:
        lines += [f"### `{notice.name}`", "", ticked(notice.meaning), ""]
        lines += payload_table("Payload", notice.payload)
    lines += ["## Values", ""]
    for status in spec.statuses:
        lines += [ticked(status.meaning), ""] + table(
            ["value", "name", "meaning"],
            [[str(v.value), f"`{v.name}`", v.meaning] for v in status.values],
        )
    lines += ["Capability bits:", ""] + table(
        ["bit", "engine", "meaning"],
        [[str(v.value), f"`{v.name}`", v.meaning] for v in spec.capabilities],
    )
    lines += [
        "Poseidon instances: the code is `family << 4 | width`; family 0 is Filecoin, 1 Filecoin "
        "strengthened, 2 Stark.",
        "",
    ]
    lines += table(
        ["mask bit", "code", "instance"],
        [[str(i), f"0x{v.value:02x}", f"`{v.name}`"] for i, v in enumerate(spec.instances)],
    )
    lines += ["Limits:", ""] + table(
        ["name", "value", "meaning"],
        [[f"`{v.name}`", f"{v.value:,}", v.meaning] for v in spec.limits],
    )
    lines += [
        "## Registers",
        "",
        "32 bits each, byte addresses. `ro` read only; `w1` a written 1 acts, "
        "reads as 0. A pair of registers is read whole if the low one is read first.",
        "",
    ]
    lines += table(
        ["address", "name", "access", "after reset", "meaning"],
        [
            [
                f"0x{r.address:04x}",
                f"`{r.name}`",
                r.access,
                "set by the build" if r.reset is None else f"0x{r.reset:08x}",
                r.meaning,
            ]
            for r in spec.registers
        ],
    )
    lines += table(
        ["range", "kept for", "meaning"],
        [[f"0x{g.first:04x}–0x{g.last:04x}", f"`{g.engine}`", g.meaning] for g in spec.regions],
    )
    return "\n".join(lines).rstrip("\n") + "\n"
