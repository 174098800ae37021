# SPDX-License-Identifier: Apache-2.0
"""Which version the tables are, and where the database says so (table `meta`)."""

from __future__ import annotations

# Raised by one for every change of the tables; migrate() knows the way from each older one.
SCHEMA_VERSION = 5
PROJECTED = 3  # the last one that added what only the raw records can fill

SCHEMA_KEY = "schema_version"
# Of a migration whose reprojection has not ended: the last id that it reached.
REPROJECTED_TO = "reprojected_to"
