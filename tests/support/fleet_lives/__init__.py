# SPDX-License-Identifier: Apache-2.0
"""Small fleets of real life with a planted truth, as full records and host-hours in files.

`lab` makes them, `first`, `second` and `third` are the sets that were scored blind
(tests/bench/README.md); each function's docstring is the truth, written before it was asked.
"""
