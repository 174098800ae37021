# SPDX-License-Identifier: Apache-2.0
"""The fleet database: put records in, ask questions."""

GROUP = "Many crashes"
HELP = "the fleet database: ingest, top ..."
