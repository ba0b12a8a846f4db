# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the Debian packages halimede, libhalimedeX.Y and libhalimede-dev from the output of `make
dist`.

    python3 -m release.deb --built target/x86_64-unknown-linux-gnu/dist --arch amd64 build/deb

`make install` installs the files; this module distributes them to the packages, adds the files that
Debian policy requires, and calls dpkg-deb. All times inside are the time of the commit, so the same
commit gives the same bytes. (cargo-deb is not used: it writes no shlibs, trigger or Debian
changelog, its lists of files would repeat install.mk, and compiling it takes minutes on a new
machine.)
"""

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAINTAINER = "Halimede maintainers <maintainers@halimede.invalid>"
TRIPLES = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
# The oldest C library that supports the builds; release/elf.py checks it.
LIBC = "libc6 (>= 2.28)"
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: halimede
Comment:
 THIRD-PARTY-NOTICES.gz next to this file lists the third-party software
 in the programs and its licenses.

Files: *
Copyright: The Halimede authors
License: Apache-2.0 or Expat

License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.

License: Expat
{expat}
"""


@dataclass(frozen=True)
class Package:
    """A package: its control fields, and a pattern of its installed files."""

    name: str
    section: str
    multi_arch: str
    depends: str
    synopsis: str
    description: str
    files: str
    """A regular expression for whole paths below the root."""

    def control(self, version: str, arch: str, size_kib: int) -> str:
        """Returns the content of the file `control`."""
        lines = "\n".join(f" {line}" for line in self.description.splitlines())
        return (
            f"Package: {self.name}\nSource: halimede\nVersion: {version}\nArchitecture: {arch}\n"
            f"Maintainer: {os.environ.get('DEB_MAINTAINER', MAINTAINER)}\n"
            f"Installed-Size: {size_kib}\nDepends: {self.depends}\nSection: {self.section}\n"
            f"Priority: optional\nMulti-Arch: {self.multi_arch}\n"
            f"Description: {self.synopsis}\n{lines}\n"
        )


def packages(interface: str, version: str) -> list[Package]:
    """Returns the three packages of a version whose library has this interface number."""
    library = f"libhalimede{interface}"
    what = (
        "Halimede hashes with Poseidon and BLAKE3, verifies Equihash solutions,\n"
        "signatures over secp256k1 and BLS12-381, and computes on vectors that are\n"
        "encrypted by CKKS: on all cores of the processor, or on an FPGA card.\n"
    )
    return [
        Package(
            "halimede", "utils", "foreign", LIBC, "accelerator for cryptography: the command",
            what + ".\nThis package has the command halimede, its manual and completions.",
            r"usr/(bin|share)/.*"),
        Package(
            library, "libs", "same", LIBC, "accelerator for cryptography: the shared library",
            what + ".\nThis package has the library for programs in C.",
            r"usr/lib/.*/libhalimede\.so\.\d.*"),
        Package(
            "libhalimede-dev", "libdevel", "same", f"{library} (= {version})",
            "accelerator for cryptography: development files",
            what + ".\nThis package has the header, the static library and the pkg-config file.",
            r"usr/(include/.*|lib/.*/(libhalimede\.(a|so)|pkgconfig/.*))"),
    ]


def write_gzip(path: Path, content: bytes) -> None:
    """Writes a compressed file without a time or a name in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0))


def add_documents(package: Package, folder: Path, version: str, epoch: int) -> None:
    """Adds the copyright, the notices and the changelogs, and compresses the manual pages."""
    documents = folder / "usr/share/doc" / package.name
    documents.mkdir(parents=True, exist_ok=True)
    lines = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8").strip().splitlines()
    expat = "\n".join(f" {line.strip() or '.'}" for line in lines)
    (documents / "copyright").write_text(COPYRIGHT.format(expat=expat), encoding="utf-8")
    write_gzip(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    write_gzip(documents / "THIRD-PARTY-NOTICES.gz",
               (ROOT / "THIRD-PARTY-NOTICES.txt").read_bytes())
    entry = (
        f"halimede ({version}) unstable; urgency=medium\n\n"
        f"  * The changes are those of the program: changelog.gz.\n\n"
        f" -- {os.environ.get('DEB_MAINTAINER', MAINTAINER)}  {formatdate(epoch)}\n"
    )
    write_gzip(documents / "changelog.Debian.gz", entry.encode())
    for page in sorted(folder.glob("usr/share/man/man*/*.[0-9]")):
        write_gzip(page.with_name(page.name + ".gz"), page.read_bytes())
        page.unlink()


def add_control(package: Package, folder: Path, version: str, arch: str, interface: str) -> None:
    """Adds the folder DEBIAN: control, checksums, and for the library shlibs and the trigger."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    size_kib = sum(-(-path.stat().st_size // 1024) for path in files)
    control = folder / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(package.control(version, arch, size_kib), encoding="utf-8")
    sums = (f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"
            for path in files)
    (control / "md5sums").write_text("".join(sums), encoding="utf-8")
    if package.section == "libs":
        (control / "shlibs").write_text(
            f"libhalimede {interface} {package.name} (>= {version})\n", encoding="utf-8")
        (control / "triggers").write_text("activate-noawait ldconfig\n", encoding="utf-8")


def share_out(tree: Path, package: Package, folder: Path) -> None:
    """Moves a package's installed files into its folder, with the usual modes."""
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree)
        if (path.is_file() or path.is_symlink()) and re.fullmatch(package.files, str(name)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, folder / name)
            if not (folder / name).is_symlink():
                is_program = name.parts[1] == "bin"
                (folder / name).chmod(0o755 if is_program else 0o644)


def set_times(folder: Path, epoch: int) -> None:
    """Sets all times to the time of the commit, and makes folders accessible to others."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def commit_time() -> int:
    """Returns the time of the commit in seconds since 1970, or SOURCE_DATE_EPOCH."""
    log = ["git", "log", "-1", "--format=%ct"]
    return int(os.environ.get("SOURCE_DATE_EPOCH")
               or subprocess.run(log, cwd=ROOT, check=True, capture_output=True).stdout)


def build(built: Path, command: Path, arch: str, out: Path) -> list[Path]:
    """Builds the packages into a folder, and returns their paths."""
    version = re.findall(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text("utf-8"), re.M)[0]
    interface = ".".join(version.split(".")[:2])
    epoch = commit_time()
    revision = f"{version}-1"
    out.mkdir(parents=True, exist_ok=True)
    result = []
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary, "tree")
        strip = shutil.which(f"{TRIPLES[arch]}-strip") or "strip"
        make = ["make", "--no-print-directory", "install-built", "install-built-command",
                f"DESTDIR={tree}", "PREFIX=/usr", f"LIBDIR=/usr/lib/{TRIPLES[arch]}",
                "ZSHDIR=/usr/share/zsh/vendor-completions", f"BUILT={built.resolve()}",
                f"MANUAL={command.resolve()}", f"STRIP={strip}"]
        subprocess.run(make, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        for package in packages(interface, revision):
            folder = Path(temporary, package.name)
            folder.mkdir()
            share_out(tree, package, folder)
            add_documents(package, folder, revision, epoch)
            add_control(package, folder, revision, arch, interface)
            set_times(folder, epoch)
            file = out / f"{package.name}_{revision}_{arch}.deb"
            subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, file],
                           check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})
            result.append(file)
        left = [path for path in tree.rglob("*") if path.is_file() or path.is_symlink()]
        if left:
            raise SystemExit(f"in no package: {', '.join(map(str, left))}")
    return result


def main() -> int:
    """Builds the packages and prints their names and sizes."""
    parser = argparse.ArgumentParser(description="Builds the Debian packages.")
    parser.add_argument("--built", type=Path, required=True, help="the folder of the programs")
    parser.add_argument("--command", type=Path,
                        help="a halimede that runs here, for the manual (default: that of --built)")
    parser.add_argument("--arch", choices=TRIPLES, default="amd64")
    parser.add_argument("out", type=Path, help="the folder for the packages")
    arguments = parser.parse_args()
    command = arguments.command or arguments.built / "halimede"
    for file in build(arguments.built, command, arguments.arch, arguments.out):
        print(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
