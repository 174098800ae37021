# SPDX-License-Identifier: Apache-2.0
"""The record of one core: plain JSON values, the same for the same bytes.

In goes what `analysis` found (`registry.Parts`), out comes the dict that schema/SCHEMA.md
describes: `build.make_record` asks every file in groups/ for its part. `stacks` has the stacks of
all threads as JSON; `redact` and `privacy` reduce what may name people, hosts or secrets. Nothing
of the analysing machine belongs here, no clock, no path of a tool, no host: the caller adds those.
A field that could not be had is absent and `soft_errors` says why.
"""
