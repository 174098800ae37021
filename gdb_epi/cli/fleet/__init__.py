# SPDX-License-Identifier: Apache-2.0
"""The fleet database: put records in, ask questions; one file per sub-verb."""

HELP = "the fleet database: ingest, top ..."
