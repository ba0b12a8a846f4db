# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A linter for the project's English: `python3 -m docs.prose`. The rules are those of docs/style.md."""
