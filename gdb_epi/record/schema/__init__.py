# SPDX-License-Identifier: Apache-2.0
"""The schema of records, and what reads its versions; imports nothing that makes a record.

In comes a record of any origin; out comes whether this version can read it. record-1.json and
SCHEMA.md say what a record holds; what fills it is in `record/groups/`.
"""
