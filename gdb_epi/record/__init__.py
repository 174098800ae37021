# SPDX-License-Identifier: Apache-2.0
"""The record of one core: plain JSON values, the same for the same bytes.

In: what `analysis` found (`registry.RecordParts`). Out: the dict that schema/SCHEMA.md describes.
`make_record` asks every file in groups/ for its part. `stacks` has the stacks of all threads as
JSON; `redact` and `user_redaction` reduce what may name people, hosts or secrets. Nothing about the
analysing machine belongs here, no clock, no path of a tool, no host: the caller adds those. A field
that could not be read is absent, and `soft_errors` says why.
"""
