# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet dismiss`: say that a finding is not true."""

from __future__ import annotations

from functools import partial

from gdb_epi.cli.fleet.finding_decision import add_finding_decision_arguments, set_state_of_finding

HELP = "a finding is not true: it stays silent until its evidence has doubled"

add_arguments = add_finding_decision_arguments
run = partial(set_state_of_finding, state="dismissed")
