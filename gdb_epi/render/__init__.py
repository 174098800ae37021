# SPDX-License-Identifier: Apache-2.0
"""Text and JSON forms of reports and records."""
