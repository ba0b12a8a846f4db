# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The format of rates on docs/boards-capacity.md."""


def rate(jobs_s: float) -> str:
    """Jobs per second with three digits."""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if jobs_s >= limit:
            return f"{jobs_s / limit:.3g} {unit}"
    return f"{jobs_s:.3g}"
