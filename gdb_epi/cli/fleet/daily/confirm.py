# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet confirm`: say that a finding is true."""

from __future__ import annotations

from functools import partial

from gdb_epi.cli.fleet.finding_decision import add_finding_decision_arguments, set_state_of_finding

HELP = "a finding is true: it stays raised, and is not raised again"

add_arguments = add_finding_decision_arguments
run = partial(set_state_of_finding, state="confirmed")
