# SPDX-License-Identifier: Apache-2.0
"""The report: one self-contained HTML page about the population (extra `report`)."""
