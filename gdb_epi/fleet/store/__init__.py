# SPDX-License-Identifier: Apache-2.0
"""The database: records go in, rows come out.

In come records (JSON) and host-hours; out go the rows of the tables (`tables.py`) and the records
as they came. `prepare` makes records ready without a database, `ingest` stores them, `reproject`
makes the rows anew from the records. What a row means for a population, and any statistics, do not
belong here.
"""
