# SPDX-License-Identifier: Apache-2.0
"""The database: prepared records go in, rows come out.

In come what `records` prepared, and host-hours; out go the rows of the tables (`tables.py`) and the
records as they came. `ingest` stores records, `reproject` makes the rows anew from them, `removal`
takes crashes out for good. How a record becomes rows belongs in `records`; what a row means for a
population, and any statistics, do not belong here.
"""
