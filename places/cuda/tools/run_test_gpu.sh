#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Tests the GPU of this machine: run.sh [RESULTS.json] [options of test_gpu]. Ends within eight minutes.
set -eu
results=${1:-results.json}
[ $# -eq 0 ] || shift
program=$(dirname "$0")/test_gpu
timeout 360 "$program" --json "$results" "$@"
if command -v compute-sanitizer > /dev/null; then
    timeout 110 compute-sanitizer --error-exitcode 9 "$program" --requests 8 --changed 4 --seconds 0 --limit 90 "$@"
else
    echo "compute-sanitizer: not on this machine"
fi
