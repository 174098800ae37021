# SPDX-License-Identifier: Apache-2.0
"""The population: all crashes and host-hours of a database as arrays of codes.

In comes a database; out goes a `Population`, read once for each state of the database and kept in
the cache folder. Counting its columns (attribute_combinations.py) belongs here, judging the counts
does not.
"""
