#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Installs the Debian packages of the folder /srv in a clean system, uses them without Rust, purges them,
# and checks that they leave nothing behind. `make test-deb` runs this script in a new root.
set -eu
cd /srv

files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /srv -o -path /tmp -o -path /var/log \
        -o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/apt \) -prune -o -print | sort
}
fail() {
    echo "error: $1" >&2
    exit 1
}

for program in rustc cargo; do
    if command -v "$program"; then fail "$program is here"; fi
done
files > /tmp/before
apt-get install --yes /srv/*.deb > /tmp/install.log 2>&1 || { cat /tmp/install.log; exit 1; }
for package in halimede libhalimede-dev $(dpkg-query -W -f '${Package}\n' 'libhalimede0*'); do dpkg --verify "$package"; done
echo "installed: $(dpkg-query -W -f '${Package} ${Installed-Size} KiB, ' halimede 'libhalimede*')"

halimede --version --verbose
mkdir jobs
(cd jobs && sh ../try-command.sh /srv/zcash_block_346.hex)
for page in halimede halimede-poseidon-hash halimede-ckks-eval; do
    zcat "/usr/share/man/man1/$page.1.gz" | grep -q "^\.TH $page 1" || fail "no manual of $page"
done
bash -c '. /usr/share/bash-completion/completions/halimede && complete -p halimede' > /dev/null || fail "no completions of bash"
head -n 1 /usr/share/zsh/vendor-completions/_halimede | grep -q '^#compdef halimede' || fail "no completions of zsh"
grep -q '^complete -c halimede' /usr/share/fish/vendor_completions.d/halimede.fish || fail "no completions of fish"
[ -s /usr/share/doc/halimede/copyright ] || fail "no copyright"

# Compiles the first program of capi's README with each of the two libraries, and compares its output.
awk '/^```c$/ { on = 1; next } /^```$/ && on { exit } on' README.md > program.c
awk '/^```text$/ { on = 1; next } /^```$/ && on { exit } on' README.md > expected
cc -Wall -Werror $(pkg-config --cflags halimede) program.c $(pkg-config --libs halimede) -o shared
./shared | cmp - expected
ldd ./shared | grep -Eq 'libhalimede\.so\.[0-9]+\.[0-9]+ => (/usr)?/lib/' || fail "not the package's library"
cc -Wall -Werror program.c -l:libhalimede.a $(pkg-config --libs --static halimede | sed 's/-lhalimede//') -o static
./static | cmp - expected
if ldd ./static | grep -q halimede; then fail "the static program needs the library"; fi

apt-get purge --yes halimede 'libhalimede*' > /dev/null
files > /tmp/after
diff /tmp/before /tmp/after || fail "something is left, or gone"
if dpkg -l | grep -i halimede; then fail "a package is left"; fi
echo "Debian $(cat /etc/debian_version): the packages work, and leave nothing behind"
