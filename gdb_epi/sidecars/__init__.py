# SPDX-License-Identifier: Apache-2.0
"""What a collector knew of a crash: journal entries, xattrs, file names, reports, host.json.

Each source is a module with a function that returns a `Sidecar` or None. `merge.py` says which one
wins. All of it is as hostile as a core: sizes and counts are capped, texts are redacted.
"""
