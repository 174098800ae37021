# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet reopen`: take a decision back."""

from __future__ import annotations

from functools import partial

from gdb_epi.cli.fleet.finding_decision import add_finding_decision_arguments, set_state_of_finding

HELP = "take a confirm or dismiss back"

add_arguments = add_finding_decision_arguments
run = partial(set_state_of_finding, state="open")
