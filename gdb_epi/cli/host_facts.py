# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi host-facts`: write host.json, what a core cannot know of its host."""

from __future__ import annotations

import json
import os
import sys
import time

from gdb_epi.argument_types import output_file_name
from gdb_epi.errors import EpiError, UsageError
from gdb_epi.typing_lite import ArgumentParser, Namespace

GROUP = "Set-up"
HELP = "write host.json: firmware, memory modules, GPUs, image, names of this host"
EPILOG = (
    "Everything is read from /proc, /sys and /etc; what needs root is listed on standard error and "
    "in needs_root. Serial numbers are written as hashes. `gdb-epi triage` takes a host.json that "
    "lies beside a core, or by --host-json."
)
MAX_GIVEN = 64


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    words = "write into FILE, replacing it"
    add("-o", "--output", type=output_file_name, metavar="FILE", help=words)
    add("--set", metavar="NAME=VALUE", help="attributes that you know: rack=r7,row=3")
    add("--root", metavar="DIR", default="/", help="the root of another system (an image)")


def run(args: Namespace) -> None:
    """Collect and write."""
    from gdb_epi.sidecars.host_facts import collect_host_facts

    if not os.path.isdir(args.root):
        raise UsageError(f"--root {args.root}: no such folder", hint="--root /")
    # Read NAME=VALUE,NAME=VALUE
    attributes: dict[str, str] = {}
    for assignment in (args.set or "").split(",")[:MAX_GIVEN]:
        name, equals, value = assignment.partition("=")
        if assignment and not (equals and name.strip()):
            raise UsageError(f"--set {assignment!r}: no NAME=VALUE", hint="--set rack=r7,row=3")
        if assignment:
            attributes[name.strip()] = value.strip()
    facts = collect_host_facts(args.root, attributes)
    facts["collected_ts"] = int(time.time())
    _write_file_in_one_step(args.output, json.dumps(facts, indent=1) + "\n")
    if facts["needs_root"]:
        print(f"gdb-epi: only root may read: {', '.join(facts['needs_root'])}", file=sys.stderr)


def _write_file_in_one_step(name: str | None, text: str) -> None:
    """Write all or nothing: a collector may run while a triage reads."""
    if name is None:
        sys.stdout.write(text)
        return
    from pathlib import Path

    from gdb_epi.private_files import replace_file

    umask = os.umask(0o077)
    os.umask(umask)
    try:  # who triages is often another user than the collector
        replace_file(Path(name), text.encode("utf-8", "backslashreplace"), 0o666 & ~umask)
    except OSError as error:
        message = f"cannot write {name}: {error.strerror or error}"
        raise EpiError(message, hint="--output with another path") from None
