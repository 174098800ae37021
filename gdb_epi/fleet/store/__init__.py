# SPDX-License-Identifier: Apache-2.0
"""The database: prepared records go in, rows come out.

In: what `records` prepared, and host-hours. Out: the rows of the tables (`tables.py`), and the
records as they came in. `ingest` stores records, `reproject` rebuilds the rows from them, and
`delete_crashes` removes crashes for good. How a record becomes rows belongs in `records`; what rows
mean for a population, and any statistics, do not belong here.
"""
