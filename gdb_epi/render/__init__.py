# SPDX-License-Identifier: Apache-2.0
"""Text and JSON forms of reports, records and what lies behind them.

In go reports, records and decoded state; out come lines for a terminal (escaped here) or JSON
values. Nothing is decoded or judged here, and nothing is printed: the shell and GDB do that.
"""
