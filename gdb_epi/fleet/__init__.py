# SPDX-License-Identifier: Apache-2.0
"""The fleet database and its questions (outside GDB only).

A record comes in: records (rows to be) <- store (the database). A question walks down through the
rooms once: store (rows) <- population (arrays) <- screen (what stands out) <- questions (answers)
<- report and serve (pages). `statistics` stands below the population and knows arrays alone. What
reads a core does not belong here.
"""
