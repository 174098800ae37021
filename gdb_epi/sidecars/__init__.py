# SPDX-License-Identifier: Apache-2.0
"""What a collector knew of a crash: journal entries, xattrs, file names, reports, host.json.

In goes the path of a core, out comes a list of `Sidecar`, the strongest first (`find`), which
`merge` adds to its record. Each source is a module with a function that returns a `Sidecar` or
None; `host_facts` writes the host.json of the machine that it runs on. All of it is as hostile as a
core: sizes and counts are capped, texts are redacted. What the core itself says is no sidecar.
"""
