# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card.toml is sound, contradictions are found and named, generated files are up to date."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from card.spec import generate
from card.spec.specification import DATA_FILE, SpecificationError, load, parse

TEXT = DATA_FILE.read_text(encoding="utf-8")


def test_the_data_file_is_sound():
    spec = load()
    assert spec.command("poseidon_hash").request.fixed_bytes == 24
    assert spec.command("poseidon_hash").request.most_bytes is None
    assert spec.command("reset_fpga").request.fixed_bytes == 0
    assert spec.command("reset_fpga").request.most_bytes == 8
    assert spec.command("get_fpga_status").reply.most_bytes == 96
    assert spec.command("verify_secp256k1_sig").request.most_bytes == 8 + 5 * 32
    assert [v.value for v in spec.instances] == [
        0x03,
        0x05,
        0x09,
        0x0C,
        0x13,
        0x15,
        0x19,
        0x1C,
        0x23,
        0x24,
        0x25,
        0x29,
    ]


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("code = 0x0000_0110", "code = 0x0000_0100", "code 0x100 stands twice"),
        ("reply_code = 0x8000_0110", "reply_code = 0x8000_0002", "code 0x80000002 stands twice"),
        ("reply_code = 0x8000_0110", "reply_code = 0x0000_0111", "poseidon_hash: bit 31"),
        ('name = "register_write"', 'name = "register_read"', "register_read stands twice"),
        ("address = 0x104", "address = 0x100", "register address 0x100 stands twice"),
        ("address = 0x104", "address = 0x102", "poseidon_cores: address 0x102 unaligned"),
        (
            "address = 0x104",
            "address = 0x1004",
            "poseidon_cores overlaps bls12_381_coprocessor|"
            "bls12_381_coprocessor overlaps poseidon_cores",
        ),
        ('latches = "clocks_hi"', 'latches = "clocks"', "clocks_lo latches clocks"),
        ("bit = 5", "bit = 4", "capability bit 0x4 stands twice"),
        ("bit = 5", "bit = 32", "above 31"),
        ("code = 0x29", "code = 0x25", "instance code 0x25 stands twice"),
        ('engine = "blake3"', 'engine = "blake2"', "blake3_hash: no such engine 'blake2'"),
        ('type = "element[]"', 'type = "element"', "unknown type 'element'"),
        ('name = "index", type = "u64"', 'name = "index", type = "u63"', "unknown type 'u63'"),
        ("reset = 65536", "reset = 65535", "max_frame_bytes does not reset to 65536"),
        ("minor = 2", "minor = 3", "version does not reset to 196611"),
        ("value = 65536", "value = 65540", "not a multiple of alignment_bytes"),
        ('access = "w1"', 'access = "wo"', "control: bad access 'wo'"),
        (
            'engine = "ckks"\nstate = "reserved"',
            'engine = "ckks"\nstate = "absent"',
            "bad state",
        ),
        ("[limits]", "[limit]", "limit"),
    ],
)
def test_contradictions_are_named(old, new, complaint):
    assert old in TEXT
    changed = TEXT.replace(old, new, 1)
    with pytest.raises((SpecificationError, KeyError), match=complaint):
        parse(changed)


def test_misaligned_field_is_refused():
    changed = TEXT.replace(
        'type = "u8", meaning = "Poseidon instance code"',
        'type = "u16", meaning = "Poseidon instance code"',
    )
    parse(changed)
    changed = TEXT.replace('{ name = "outputs", type = "u8"', '{ name = "outputs", type = "u32"')
    with pytest.raises(SpecificationError, match="poseidon_hash request.outputs is not aligned"):
        parse(changed)


def test_a_field_behind_an_open_one_counts_from_the_end():
    for payload in (load().command("poseidon_hash").request, load().command("poseidon_hash").reply):
        places = {f.name: f.from_end_bytes for f in payload.fields}
        assert (places.pop("checksum"), places.pop("checksum_zero")) == (8, 4)
        assert set(places.values()) == {None}


@pytest.mark.parametrize(
    "field, complaint",
    [
        ('name = "tail", type = "data[]"', "tail is a second open field"),
        ('name = "tail", type = "u32", optional = true', "tail follows an open field"),
        ('name = "tail", type = "u16"', "elements|checksum is not aligned"),
    ],
)
def test_what_may_stand_behind_an_open_field(field, complaint):
    place = '  { name = "checksum_zero", type = "zero4", meaning = "" },\n'
    tail = f'  {{ {field}, meaning = "" }},\n'
    pieces = TEXT.split(place)
    # The one behind the open field of the reply to poseidon_hash: its second.
    poseidon = next(i for i, piece in enumerate(pieces) if '"poseidon_hash"' in piece)
    before, after = place.join(pieces[: poseidon + 2]), place.join(pieces[poseidon + 2 :])
    assert "poseidon_hash" in before and "blake3_hash" in after
    with pytest.raises(SpecificationError, match=complaint):
        parse(before + place + tail + after)


def test_generated_files_are_up_to_date():
    assert generate.main(["--check"]) == 0


def test_check_names_the_file_that_differs(tmp_path: Path, capsys):
    assert generate.main([], root=tmp_path) == 0
    assert generate.main(["--check"], root=tmp_path) == 0
    changed = tmp_path / "card/rtl/card_pkg.sv"
    changed.write_text(changed.read_text() + "\n")
    capsys.readouterr()
    assert generate.main(["--check"], root=tmp_path) == 1
    assert capsys.readouterr().err.startswith("card/rtl/card_pkg.sv differs")
    (tmp_path / "docs/card.md").unlink()
    assert generate.main(["--check"], root=tmp_path) == 1
    assert "docs/card.md" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("rustfmt") is None, reason="rustfmt is not installed")
def test_rustfmt_changes_nothing():
    source = generate.ROOT / "card/src/spec.rs"
    subprocess.run(["rustfmt", "--edition", "2021", "--check", source], check=True, timeout=60)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_header_compiles(language):
    header = generate.ROOT / "card/include/halimede_card.h"
    program = (
        f'#include "{header}"\nint main(void) {{ return HALIMEDE_CARD_COMMAND_RESET_FPGA; }}\n'
    )
    subprocess.run(
        ["cc", "-x", language, "-Wall", "-Werror", "-pedantic", "-fsyntax-only", "-"],
        input=program,
        text=True,
        check=True,
        timeout=60,
    )
