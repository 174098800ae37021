# SPDX-License-Identifier: Apache-2.0
"""Run a command until it crashes or hangs; say how often, and whether it is the crash wanted."""
