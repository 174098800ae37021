# SPDX-License-Identifier: Apache-2.0
"""The crash signature gsig/1: ordered, logged rules."""
