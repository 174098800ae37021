# SPDX-License-Identifier: Apache-2.0
"""The keys of one crash, gsig/2: SPEC.md is normative.

In comes a `ProcessState`; out comes a `Signature` with its keys and every step that made them.
The way: the category (categories/), the thread to sign (sign.py), frames as tokens (tokens.py) with
normalised names (names.py, native_names.py, demangle/) and drop classes (drop_sets.py), keys out of
tokens (keys.py). Causes and evidence of damage do not belong here: two machines must make the same
keys from one core.
"""
