# SPDX-License-Identifier: Apache-2.0
"""The schema of records, and what reads its versions; imports nothing that makes a record."""
