# SPDX-License-Identifier: Apache-2.0
"""Which version the tables are, and where the database says so (table `meta`)."""

from __future__ import annotations

# Raised by one for every change of the tables; migrate() knows the way from each older one.
SCHEMA_VERSION = 9
PROJECTED = 3  # the last one that added what only the raw records can fill

SCHEMA_KEY = "schema_version"
# Of a migration whose reprojection has not ended: the last id that it reached.
REPROJECTED_TO = "reprojected_to"
# Raised when rows of dimensions were deleted: ids that a writer remembers may be nobody's then.
DROPPED = "dimensions_dropped"
# The day (since 1970-01-01) before which crashes were thinned out: shown, not counted (pruned.py).
PRUNED_BEFORE = "pruned_before"
# When the last screening ran (seconds since the epoch), and the end of the last day that it saw.
SCREENED = "screened"
