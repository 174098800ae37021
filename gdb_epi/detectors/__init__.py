# SPDX-License-Identifier: Apache-2.0
"""Detectors: one file each; they yield facts, never judgement."""
