# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The decisions of the release tools: the license of a package, the refused programs, the package
of a file."""

import platform
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from release import deb, elf, notices, wheel, wheel_pack

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("expression, licenses", [
    ("MIT OR Apache-2.0", ["Apache-2.0"]),
    ("MIT/Apache-2.0", ["Apache-2.0"]),
    ("Unlicense OR MIT", ["MIT"]),
    ("MIT AND BSD-3-Clause", ["MIT", "BSD-3-Clause"]),
    ("(MIT OR Apache-2.0) AND Unicode-3.0", ["Apache-2.0", "Unicode-3.0"]),
    ("CC0-1.0", ["CC0-1.0"]),
])
def test_the_most_wanted_license_counts(expression: str, licenses: list[str]) -> None:
    assert notices.chosen(expression) == licenses


@pytest.mark.parametrize("expression", ["GPL-3.0-only", "MPL-2.0 OR GPL-2.0", "MIT AND GPL-2.0", ""])
def test_what_is_under_no_accepted_license_is_refused(expression: str) -> None:
    with pytest.raises(notices.NoticeError, match="no accepted license"):
        notices.chosen(expression)


def package(folder: Path, expression: str, name: str = "one") -> notices.Package:
    return notices.Package(name, "1.0.0", expression, folder, ("A. Author <a@example.org>",))


def test_texts_are_the_crates_own(tmp_path: Path) -> None:
    (tmp_path / "LICENSE-MIT").write_text("Of A.\r\nPermission is hereby\n granted, free of charge\f")
    (tmp_path / "NOTICE").write_text("Has parts of B.")
    both = [package(tmp_path, "MIT"), package(tmp_path, "MIT", "two")]
    mit, notice = notices.texts(both, "apache\n")
    assert mit.text == "Of A.\nPermission is hereby\n granted, free of charge\n"
    assert (mit.packages, notice.text) == (["one 1.0.0", "two 1.0.0"], "Has parts of B.\n")
    [apache, *_] = notices.texts([package(tmp_path, "Apache-2.0")], "apache\n")
    assert apache.text == "apache\n"


def test_a_crate_without_a_text_gets_the_standard_one_or_is_refused(tmp_path: Path) -> None:
    [mit] = notices.texts([package(tmp_path, "MIT")], "")
    assert mit.text.startswith("Copyright (c) A. Author\n")
    with pytest.raises(notices.NoticeError, match="one 1.0.0 has no text of BSD-3-Clause"):
        notices.texts([package(tmp_path, "BSD-3-Clause")], "")


def test_the_notices_and_cargo_deny_accept_the_same() -> None:
    allowed = re.search(r"allow = \[(.*?)\]", (ROOT / "deny.toml").read_text(), re.DOTALL)
    assert allowed and set(notices.PREFERENCE) <= set(re.findall(r'"(.*)"', allowed[1]))


DYNAMIC = " 0x1 (NEEDED)  Shared library: [{}]\n"


@pytest.mark.parametrize("sections, libraries, versions, size, fault", [
    (".text", ["libc.so.6", "ld-linux-x86-64.so.2"], "GLIBC_2.2.5 GLIBC_2.28", 15_000_000, None),
    (".text", ["libc.so.6"], "GLIBC_2.28 GLIBC_2.9 GLIBC_2.29", 1, "requires glibc 2.29"),
    (".text", ["libgcc_s.so.1"], "GLIBC_2.5", 1, "needs libgcc_s.so.1"),
    (".text .symtab", ["libm.so.6"], "GLIBC_2.5", 1, "is not stripped"),
    (".debug_info", [], "GLIBC_2.5", 1, "is not stripped"),
    (".text", [], "", 1, "no version of glibc"),
    (".text", [], "GLIBC_2.5", 15_100_000, "15.1 MB"),
])
def test_programs_that_do_not_run_elsewhere_are_refused(
    sections: str, libraries: list[str], versions: str, size: int, fault: str | None
) -> None:
    found = elf.faults(sections, "".join(map(DYNAMIC.format, libraries)), versions, size)
    assert len(found) == (fault is not None)
    assert fault is None or fault in found[0]


PLATFORM = "manylinux_2_28_x86_64"


@pytest.mark.parametrize("name, is_good", [
    (f"halimede-0.1.0-cp39-abi3-{PLATFORM}.whl", True),
    ("halimede-0.1.0-cp39-abi3-manylinux_2_28_aarch64.whl", True),
    (f"halimede-0.2.0-cp39-abi3-{PLATFORM}.whl", False),
    (f"halimede-0.1.0-cp311-cp311-{PLATFORM}.whl", False),
    ("halimede-0.1.0-cp39-abi3-manylinux_2_34_x86_64.whl", False),
    ("halimede-0.1.0-cp39-abi3-linux_x86_64.whl", False),
    ("halimede-0x1x0-cp39-abi3-manylinux_2_28_x86_64.whl", False),
])
def test_a_wheel_serves_every_python_and_an_old_glibc_by_its_name(name: str, is_good: bool) -> None:
    assert (wheel.faults_of_name(name, "0.1.0") == []) == is_good


def wheel_names() -> list[str]:
    """The contents of a good wheel."""
    information = [f"halimede-0.1.0.dist-info/{name}" for name in
                   ("METADATA", "WHEEL", "RECORD", *(f"licenses/{name}" for name in wheel.LICENSES))]
    return [*sorted(wheel.modules()), wheel.LIBRARY, *information]


def test_a_wheel_has_the_package_and_nothing_else() -> None:
    names, modules = wheel_names(), wheel.modules()
    assert {"halimede/__init__.py", "halimede/_native.pyi", "halimede/py.typed"} <= modules
    assert wheel.faults_of_content(names, modules) == []
    for name in ("halimede/ckks/_plan.py", "halimede/py.typed", wheel.LIBRARY):
        rest = [other for other in names if other != name]
        assert wheel.faults_of_content(rest, modules) == [f"lacks {name}"]
    rest = [other for other in names if not other.endswith("LICENSE-MIT")]
    assert wheel.faults_of_content(rest, modules) == ["lacks the license LICENSE-MIT"]
    for name in ("tests/test_blake3.py", "halimede/_native.cpython-311.so", "halimede-0.1.0.txt"):
        assert wheel.faults_of_content([*names, name], modules) == [f"holds {name}"]


def test_a_wheels_metadata_name_the_extras_and_the_oldest_python() -> None:
    good = "Name: halimede\nProvides-Extra: nn\nProvides-Extra: examples\n" \
        "Requires-Python: >=3.9\n\nText."
    assert wheel.faults_of_metadata(good) == []
    assert wheel.faults_of_metadata(good.replace("Extra: nn", "Extra: nns")) == ["has no extra nn"]
    assert wheel.faults_of_metadata(good.replace("3.9", "3.8")) == ["does not say which Python it needs"]


def test_a_packed_wheel_has_one_tag_and_keeps_the_other_lines() -> None:
    text = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp39-abi3-linux_x86_64\nTag: py3-none-any\n"
    assert wheel_pack.retag(text, "aarch64") == (
        "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp39-abi3-manylinux_2_28_aarch64\n")


def test_the_extras_that_wheels_must_have_are_the_projects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["optional-dependencies"]) == set(wheel.EXTRAS)
    assert project["requires-python"] == ">=3.9"


def test_the_package_for_ray_is_of_this_version() -> None:
    project = tomllib.loads((ROOT / "python/halimede-ray/pyproject.toml").read_text())["project"]
    assert project["version"] == wheel.version()
    assert f"halimede=={wheel.version()}" in project["dependencies"]


def test_a_wheel_whose_library_is_for_another_processor_is_refused(tmp_path: Path) -> None:
    path = tmp_path / f"halimede-{wheel.version()}-cp39-abi3-manylinux_2_28_aarch64.whl"
    program = Path(sys.executable).resolve().read_bytes()
    with zipfile.ZipFile(path, "w") as file:
        for name in wheel_names():
            file.writestr(name, program if name == wheel.LIBRARY else b"")
    found = wheel.faults(path)
    other = wheel.faults(path.rename(path.with_name(path.name.replace("aarch64", "x86_64"))))
    is_arm = platform.machine() == "aarch64"
    assert any(fault.startswith("its library is for") for fault in (other if is_arm else found))
    assert not any(fault.startswith("its library is for") for fault in (found if is_arm else other))
    path.with_name("halimede.whl").write_bytes(b"no archive")
    with pytest.raises(zipfile.BadZipFile):
        wheel.faults(path.with_name("halimede.whl"))


INSTALLED = {
    "usr/bin/halimede": "halimede",
    "usr/share/man/man1/halimede-ckks.1": "halimede",
    "usr/share/zsh/vendor-completions/_halimede": "halimede",
    "usr/include/halimede.h": "libhalimede-dev",
    "usr/lib/x86_64-linux-gnu/libhalimede.a": "libhalimede-dev",
    "usr/lib/x86_64-linux-gnu/libhalimede.so": "libhalimede-dev",
    "usr/lib/x86_64-linux-gnu/pkgconfig/halimede.pc": "libhalimede-dev",
    "usr/lib/x86_64-linux-gnu/libhalimede.so.0.1": "libhalimede0.1",
    "usr/lib/x86_64-linux-gnu/libhalimede.so.0.1.0": "libhalimede0.1",
}


def test_each_installed_file_goes_into_one_package() -> None:
    for file, name in INSTALLED.items():
        owners = [package.name for package in deb.packages("0.1", "0.1.0-1")
                  if re.fullmatch(package.files, file)]
        assert owners == [name], file


def test_fields_of_control_have_no_empty_line() -> None:
    for package in deb.packages("0.1", "0.1.0-1"):
        control = package.control("0.1.0-1", "arm64", 12)
        assert "\n\n" not in control and control.endswith("\n")
        assert all(re.match(r"[A-Z][\w-]*: \S| \S", line) for line in control.splitlines())
        assert max(len(line) for line in package.description.splitlines()) < 80
