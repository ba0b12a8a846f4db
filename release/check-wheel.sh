#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Installs a wheel in an otherwise empty environment, resolves its extras, runs every engine without Rust,
# uninstalls it, and checks that it leaves nothing behind. `make test-wheels` runs this script:
#
#     env -i PATH=/usr/bin:/bin sh release/check-wheel.sh VENV WHEEL
set -eu
venv=$1
wheel=$2
smoke=$(dirname "$0")/smoke.py

# Ignores caches of imported modules; an empty folder of a package would show.
files() {
    find "$venv" -name __pycache__ -prune -o -print | sort
}
fail() {
    echo "error: $1" >&2
    exit 1
}
pip() {
    "$venv/bin/python" -I -m pip --quiet --disable-pip-version-check "$@"
}

for program in rustc cargo; do
    if command -v "$program"; then fail "$program is here"; fi
done
# Installs the dependencies first, so that only the wheel's own files change below.
pip install "halimede[nn] @ file://$wheel"
pip uninstall --yes halimede
files > "$venv.before"
pip install --no-deps "$wheel"
[ -f "$("$venv/bin/python" -I -c 'import halimede; print(halimede.__file__)')" ] || fail "it is not installed"
pip check
pip install --dry-run "halimede[nn,examples] @ file://$wheel" "$(dirname "$wheel")"/halimede_ray-*.whl

"$venv/bin/python" -I "$smoke"
HALIMEDE_BACKEND=portable "$venv/bin/python" -I "$smoke"
if command -v qemu-x86_64-static > /dev/null && [ "$(uname -m)" = x86_64 ]; then
    qemu-x86_64-static -cpu Nehalem "$venv/bin/python" -I "$smoke" --no-nn
else
    echo "skipped: a processor of 2008 needs qemu-user-static"
fi

pip uninstall --yes halimede
files > "$venv.after"
diff "$venv.before" "$venv.after" || fail "something is left, or gone"
rm "$venv.before" "$venv.after"
if "$venv/bin/python" -I -c 'import halimede' 2> /dev/null; then fail "it can still be imported"; fi
echo "$(basename "$wheel"): every engine works, and nothing is left behind"
