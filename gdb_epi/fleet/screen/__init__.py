# SPDX-License-Identifier: Apache-2.0
"""The screening: which hosts and attributes have more crashes than their share.

In: a `Population` and a day. Out: `Finding`s, each with its numbers, its test and what else would
look the same. Their states in the database are here too. Verdicts over several findings and the
parts of one signature belong to `questions`.
"""
