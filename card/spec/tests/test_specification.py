# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card.toml and the engines' manifests are valid, inconsistencies are found and named, and
generated files are up to date."""

import shutil
import subprocess
from pathlib import Path

import pytest

from card.spec import emit_boards, generate
from card.spec.manifests import SHELL_FILE, manifests
from card.spec.problems import SpecificationError
from card.spec.specification import Specification, load, parse

SHELL = "shell"
TEXTS = {SHELL: SHELL_FILE.read_text(encoding="utf-8"), **manifests()}

# Another engine's manifest has `simulated = false` as well.
CKKS_MODULE = 'name = "ckks_port"\nwindow = 7\nrequest_bytes = 8\nsimulated = '


def parsed(texts: dict[str, str]) -> Specification:
    """The specification from the texts by engine, and the shell's text."""
    return parse(texts[SHELL], {name: text for name, text in texts.items() if name != SHELL})


def changed(old: str, new: str) -> dict[str, str]:
    """The texts, with the first occurrence of `old` replaced in the first text that contains it."""
    name = next(name for name, text in TEXTS.items() if old in text)
    return {**TEXTS, name: TEXTS[name].replace(old, new, 1)}


def test_the_data_file_is_sound():
    spec = load()
    assert spec.command("poseidon_hash").request.fixed_bytes == 24
    assert spec.command("poseidon_hash").request.most_bytes is None
    assert spec.command("reset_fpga").request.fixed_bytes == 0
    assert spec.command("reset_fpga").request.most_bytes == 8
    assert spec.command("get_fpga_status").reply.most_bytes == 96
    assert spec.command("verify_secp256k1_sig").request.most_bytes == 8 + 5 * 32
    assert spec.instances_of("reset") == ()
    assert [v.value for v in spec.instances_of("poseidon")] == [
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
        ("code = 0x0000_0110", "code = 0x0000_0100", "code 0x100 occurs twice"),
        ("reply_code = 0x8000_0110", "reply_code = 0x8000_0002", "code 0x80000002 occurs twice"),
        ("reply_code = 0x8000_0110", "reply_code = 0x0000_0111", "poseidon_hash: bit 31"),
        ('name = "register_write"', 'name = "register_read"', "register_read occurs twice"),
        ("address = 0x104", "address = 0x100", "register address 0x100 occurs twice"),
        ("address = 0x104", "address = 0x102", "poseidon_cores: address 0x102 unaligned"),
        ("address = 0x104", "address = 0x1004", "a register lies in a window"),
        ('latches = "clocks_hi"', 'latches = "clocks"', "clocks_lo latches clocks"),
        ("bit = 6", "bit = 4", "capability bit 0x4 occurs twice"),
        ("bit = 6", "bit = 32", "above 31"),
        ("code = 0x29", "code = 0x25", "instance code 0x25 occurs twice"),
        ('engine = "control"\nmeaning', 'engine = "cpu"\nmeaning', "no such engine 'cpu'"),
        ('type = "element[]"', 'type = "element"', "unknown type 'element'"),
        ('name = "index", type = "u64"', 'name = "index", type = "u63"', "unknown type 'u63'"),
        ("reset = 65536", "reset = 65535", "max_frame_bytes does not reset to 65536"),
        ("minor = 4", "minor = 5", "version does not reset to 196613"),
        ("window = 4", "window = 1", "window 1 is used twice"),
        ("window = 4", "window = 5", "window 5 is used twice"),
        ("window = 4", "window = 16", "window 16 does not exist"),
        ('copies = "ordered"', 'copies = "two"', "copies must be one of ordered, any_order"),
        ("request_bytes = 64", "request_bytes = 16", "must be 8 or 64"),
        ('name = "poseidon_port"', 'name = "poseidon_engine"', "must be named poseidon_port"),
        ('passes = ["Interval", ', 'passes = ["Intervals", ', "no parameter Intervals to pass"),
        ('name = "PoseidonCoresFr"', 'name = "CoresFr"', "CoresFr: not in CamelCase beginning"),
        ('name = "Blake3Chunks"', 'name = "Blake3Messages"', "Blake3Messages occurs twice"),
        ("PoseidonCoresFr = 4", "CoresFr = 4", "alveo_u280: the engine has no parameter CoresFr"),
        ("PoseidonCoresFr = 4", "PoseidonCoresFr = -4", "PoseidonCoresFr is not a number"),
        ("bits = 4", "bits = 5", "counter products has invalid bits 5"),
        ('name = "starved_felt"', 'name = "starved_fr"', "a counter occurs twice"),
        ("offset = 40", "offset = 41", "no room at offset"),
        ('source = "shape.cores"', 'source = "shape.lanes"', "poseidon has no shape 'lanes'|"
         "secp256k1 has no shape 'lanes'"),
        ('source = "frames_in"', 'source = "frames"', "frames_in: the shell has no value 'frames'"),
        ("offset = 0xF04", "offset = 0xEFC", "interrupt_enable: overlaps"),
        ("words = 32", "words = 33", "beyond the window's end"),
        ("value = 65536", "value = 65540", "not a multiple of alignment_bytes"),
        ('access = "w1"', 'access = "wo"', "control: bad access 'wo'"),
        ("reply_code = 0x8000_0110", 'reply_code = 0x8000_0110\nstate = "absent"', "bad state"),
        (f"{CKKS_MODULE}false", f"{CKKS_MODULE}true", "ckks: the simulated card has no memory"),
        (f"{CKKS_MODULE}false", f"{CKKS_MODULE}0", "ckks: simulated must be true or false"),
        (f"{CKKS_MODULE}false", f'{CKKS_MODULE}false\ncopies = "ordered"', "an engine with a memory"),
        ('name = "limbs"', 'name = "control"', "a memory occurs twice"),
        ('name = "limbs"', 'name = "Limbs"', "memory 'Limbs': not a valid port name"),
        ("[limits]", "[limit]", "limit"),
    ],
)
def test_contradictions_are_named(old, new, complaint):
    with pytest.raises((SpecificationError, KeyError), match=complaint):
        parsed(changed(old, new))


@pytest.mark.parametrize(
    "engine, text, complaint",
    [
        ("poseidon", "", "no section engine"),
        ("poseidon", '[engine]\nname = "blake3"\nbit = 2\nmeaning = ""', "not that of its folder"),
        ("loopback", '[engine]\nname = "loopback"\nbit = 2\nmeaning = ""', "capability bit 0x2"),
        ("loopback", '[engine]\nname = "loopback"\nmeaning = ""', "bit is missing"),
        ("loopback", '[engine]\nname = "loopback"\nbit = 9\nmeaning = ""\nclocks = 1', "clocks"),
        ("loopback", '[engines]\nname = "loopback"', "unknown section engines"),
    ],
)
def test_a_manifest_is_the_one_of_its_folder(engine, text, complaint):
    with pytest.raises(SpecificationError, match=complaint):
        parsed({**TEXTS, engine: text})


@pytest.mark.parametrize(
    "entry, complaint",
    [
        ('[[command]]\nname = "echo"\nengine = "loopback"', "a manifest needs no key `engine`"),
        ('[[register]]\nname = "shape"', "register shape does not begin with the engine's name"),
        ('[[status]]\nname = "loop"', "status loop does not begin"),
        ('[limits]\nmost = { value = 1, meaning = "" }', "limit most does not begin"),
    ],
)
def test_a_manifest_speaks_of_its_engine(entry, complaint):
    head = '[engine]\nname = "loopback"\nbit = 9\nmeaning = "echoes"\n\n'
    with pytest.raises(SpecificationError, match=complaint):
        parsed({**TEXTS, "loopback": head + entry})
    assert parsed({**TEXTS, "loopback": head}).capabilities[-1].name == "loopback"


def test_commands_registers_and_capabilities_stand_in_order():
    spec = load()
    for numbers in (
        [command.code for command in spec.commands],
        [register.address for register in spec.registers],
        [capability.value for capability in spec.capabilities],
    ):
        assert numbers == sorted(numbers)
    assert {entry.engine for entry in (*spec.commands, *spec.notices)} >= manifests().keys()


def test_misaligned_field_is_refused():
    parsed(
        changed(
            'type = "u8", meaning = "Poseidon instance code"',
            'type = "u16", meaning = "Poseidon instance code"',
        )
    )
    misaligned = changed('{ name = "outputs", type = "u8"', '{ name = "outputs", type = "u32"')
    with pytest.raises(SpecificationError, match="poseidon_hash request.outputs is not aligned"):
        parsed(misaligned)


def test_a_field_behind_an_open_one_counts_from_the_end():
    for payload in (load().command("poseidon_hash").request, load().command("poseidon_hash").reply):
        places = {f.name: f.from_end_bytes for f in payload.fields}
        assert (places.pop("checksum"), places.pop("checksum_zero")) == (8, 4)
        assert set(places.values()) == {None}


@pytest.mark.parametrize(
    "field, complaint",
    [
        ('name = "tail", type = "data[]"', "tail is a second open-ended field"),
        ('name = "tail", type = "u32", optional = true', "tail: optional after an open field"),
        ('name = "tail", type = "u16"', "elements|checksum is not aligned"),
    ],
)
def test_what_may_stand_behind_an_open_field(field, complaint):
    place = '  { name = "checksum_zero", type = "zero4", meaning = "" },\n'
    tail = f'  {{ {field}, meaning = "" }},\n'
    # The one after the open field of the reply to poseidon_hash is the second.
    pieces = TEXTS["poseidon"].split(place)
    before, after = place.join(pieces[:2]), place.join(pieces[2:])
    with pytest.raises(SpecificationError, match=complaint):
        parsed({**TEXTS, "poseidon": before + place + tail + after})


def test_generated_files_are_up_to_date():
    assert generate.main(["--check"]) == 0


def test_the_boards_have_the_engines_that_their_manifests_say():
    known = emit_boards.boards()
    assert emit_boards.engines_of(load(), "ulx3s_85f") == ["poseidon"]
    assert len(emit_boards.engines_of(load(), "alveo_u280")) == 5
    fewer = parsed(changed("alveo_u280 = { EquihashSets = 15 }\n", ""))
    assert len(emit_boards.engines_of(fewer, "alveo_u280")) == 4
    # Every parameter and the mask are in the card of the board, and in no other board's card.
    texts = emit_boards.emit(load())
    cards = {f"{board}/rtl/board_card.sv" for board in known}
    assert texts.keys() == cards
    small = texts["ulx3s_85f/rtl/board_card.sv"]
    for value in (".Engines(Engines == 0 ? 32'h00000004 : Engines)", ".PoseidonContexts(16)",
                  ".TileA(18)", "[63:0] s_axis_tdata"):
        assert value in small and value not in texts["alveo_u280/rtl/board_card.sv"]
    with pytest.raises(SpecificationError, match="unknown board alveo"):
        emit_boards.emit(parsed(changed("alveo_u280 = { EquihashSets = 15 }", "alveo = {}")))
    # The number of copies is a parameter of engines that may have copies.
    with pytest.raises(SpecificationError, match="the engine has no parameter Blake3Copies"):
        parsed({**TEXTS, "blake3": TEXTS["blake3"].replace(
            "vcu128 = {}", "vcu128 = { Blake3Copies = 2 }")})


def test_check_names_the_file_that_differs(tmp_path: Path, capsys):
    assert generate.main([], root=tmp_path) == 0
    assert generate.main(["--check"], root=tmp_path) == 0
    changed = tmp_path / "card/rtl/card_pkg.sv"
    changed.write_text(changed.read_text() + "\n")
    capsys.readouterr()
    assert generate.main(["--check"], root=tmp_path) == 1
    assert capsys.readouterr().err.startswith("card/rtl/card_pkg.sv is not up to date")
    (tmp_path / "docs/card.md").unlink()
    assert generate.main(["--check"], root=tmp_path) == 1
    assert "docs/card.md" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("rustfmt") is None, reason="rustfmt is not installed")
def test_rustfmt_changes_nothing():
    sources = [
        generate.ROOT / name for name in generate.generated_files(load()) if name.endswith(".rs")
    ]
    assert len(sources) > len(load().modules)
    subprocess.run(["rustfmt", "--edition", "2021", "--check", *sources], check=True, timeout=60)


def test_what_belongs_to_one_engine_stands_in_its_crate():
    files = generate.generated_files(load())
    own = files["engines/blake3/wire/src/spec.rs"]
    shared = "".join(text for name, text in files.items() if name.startswith("card/src/spec/"))
    for name in ("pub enum Blake3Status", "pub mod blake3_hash_request", "MAX_OUTPUT_BYTES",
                 "pub const STARVED: StatusField = StatusField::u64(72)"):
        assert name in own and name not in shared
    for name in ("pub enum VerifyStatus", "pub mod register_read_request", "pub const VERSION:"):
        assert name in shared and name not in own


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
