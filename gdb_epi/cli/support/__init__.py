# SPDX-License-Identifier: Apache-2.0
"""What several shell verbs share; no verb lives here.

Finding, unpacking and opening cores, examining one or many of them, GDB beside them, keeping
records and showing answers. In go paths and options, out come records, targets and lines of text.
What parses a core or judges it belongs to the rooms below.
"""
