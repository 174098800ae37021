# SPDX-License-Identifier: Apache-2.0
"""What the answer says about a cause: in plain words, whose code it is in, and what mends it.

In: a record. Out: parts of its sentences and of its next steps. Which cause it is, and what the
evidence proves, is decided before: findings carry it as facts.
"""
