# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi corruption` when its user has waited long enough."""

from __future__ import annotations

import json
import subprocess
import sys

from support.cores import make_core
from support.opening import need_core_dumps, newest_or_skip
from support.shell import INTERRUPTIBLE, Shell

# Ctrl-C as soon as a sweep tells how far it is: at no moment that depends on the machine.
PROGRAM = """
import os, signal, sys
from gdb_epi.cli import main
from gdb_epi.cli.support import progress_bar
progress_bar.ProgressBar.show = lambda self, done, bad: os.kill(os.getpid(), signal.SIGINT)
sys.exit(main.main(["corruption", sys.argv[1], "--sweep", "--json"]))
"""


def test_ctrl_c_in_a_sweep_shows_what_was_found(shell: Shell) -> None:
    need_core_dumps()
    # Strings are swept where the secret of their hashes is found: the core's files must be here.
    core = make_core(newest_or_skip(), "simple-string-at").core
    done = subprocess.run(
        [*INTERRUPTIBLE, sys.executable, "-c", PROGRAM, str(core)],
        env=shell.env, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert done.returncode == 130 and b"Traceback" not in done.stderr
    stopped = answer["interrupted"]
    assert stopped["check"] in answer["tried"] and 0 < stopped["swept"][0] <= stopped["swept"][1]
    assert stopped["unreached"] and not set(stopped["unreached"]) & set(answer["tried"])
    assert answer["word"]
