# SPDX-License-Identifier: Apache-2.0
"""The fleet database: put records in, ask questions.

One file for each verb of `gdb-epi fleet`, in the folder of its heading: in go its words, out come
lines, JSON or CSV (`output`).
Nothing is counted here: the answers come from `gdb_epi/fleet/`.
"""

GROUP = "Many crashes"
FOLDERS = ("look", "causes", "daily", "data")
HELP = "the fleet database: ingest, top ..."
