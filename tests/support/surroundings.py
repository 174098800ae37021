# SPDX-License-Identifier: Apache-2.0
"""The program that plants secrets and writes down its surroundings, as an entry of the corpus."""

from __future__ import annotations

from support.cores import Program

ARGV_SECRET = "hush5aa7c0de91f2"


def surroundings(cpu: int) -> Program:
    """Return a run of tests/programs/surroundings.py that dies writing address 0 on a CPU."""
    arguments = ("memmove", str(cpu), f"--password={ARGV_SECRET}")
    return Program(f"surroundings-{cpu}", "surroundings.py", arguments)
