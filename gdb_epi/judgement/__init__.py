# SPDX-License-Identifier: Apache-2.0
"""The verdict on one core: a pure function of category, findings and the score of corruption.

Nothing here reads the process. Every number stands in weights.py, or in corruption/weights.json,
with its origin.
"""
