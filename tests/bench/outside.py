# SPDX-License-Identifier: Apache-2.0
"""Our names beside those of other tools, on their own published pairs.

    python tests/bench/outside.py --siggen PYTHON [--clusterfuzz FOLDER]

PYTHON has siggen and pytest (PyPI); its package holds Socorro's test pairs. FOLDER is the unpacked
wheel of clusterfuzz (pip download --no-deps clusterfuzz), which holds no pairs: its rule is applied
to the printed names of our vectors. Nothing of either is kept here.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent), str(TESTS / "tools")]

from signature_names import DROPPED, NAMES

from gdb_epi.signature.native_names import normalised_name_and_note

PAIRS = """
import json
from siggen.tests import test_rules
found = []
for name in ("test_normalize_cpp_function", "test_normalize_rust_function"):
    for mark in getattr(test_rules.TestCSignatureTool, name).pytestmark:
        if mark.name == "parametrize":
            found += [given for given in mark.args[1] if given[0] != "fnNeedNumber"]
print(json.dumps(found))
"""


def siggen_pairs(python: str) -> list[tuple[str, str]]:
    """Return (name, expected) of siggen's tests; those about line numbers are left out."""
    words = [python, "-c", PAIRS]
    out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return [(name, expected) for name, _, expected in json.loads(out)]


def clusterfuzz_rule(folder: Path) -> Any:
    """Return the function that makes ClusterFuzz's frame names, without importing the rest."""
    path = folder / "clusterfuzz" / "stacktraces" / "__init__.py"
    tree = ast.parse(path.read_text())
    wanted = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == "_filter_stack_frame"
    ]
    space: dict[str, Any] = {"re": re}
    exec(compile(ast.Module(wanted, []), str(path), "exec"), space)
    return space["_filter_stack_frame"]


def compare(title: str, pairs: list[tuple[str, str]]) -> None:
    """Print how many agree, and the others."""
    differ = [
        (n, e, normalised_name_and_note(n)[0])
        for n, e in pairs
        if normalised_name_and_note(n)[0] != spelled(e)
    ]
    print(f"{title}: {len(pairs) - len(differ)} of {len(pairs)} equal")
    for name, expected, ours in differ:
        print(f"  {name[:90]!r}: theirs {expected[:60]!r}, ours {ours[:60]!r}")


def spelled(name: str) -> str:
    """Return a name in our spelling of the same."""
    return name.replace("(anonymous namespace)", "{anon}").replace(" ", "_")


def main() -> None:
    """Compare with what is at hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--siggen")
    parser.add_argument("--clusterfuzz", type=Path)
    given = parser.parse_args()
    if given.siggen:
        compare("siggen's pairs", siggen_pairs(given.siggen))
    if given.clusterfuzz:
        rule = clusterfuzz_rule(given.clusterfuzz)
        printed = [raw for _, raw, *_ in (*NAMES, *DROPPED) if "(" in raw or "<" in raw]
        compare("ClusterFuzz' rule", [(name, rule(name)) for name in printed])


if __name__ == "__main__":
    main()
