# SPDX-License-Identifier: Apache-2.0
"""A fleet database as a folder of Parquet files, and the questions over it (extra `lake`).

`fleet export --format lake` writes it, `--db lake:FOLDER` asks it by DuckDB, and any engine that
reads Parquet by SQL (Spark) can count the same cells. Comes in: an open database, a folder. What
counts, tests or prints does not belong here: the questions are those of the database.
"""
