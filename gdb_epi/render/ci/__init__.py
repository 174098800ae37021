# SPDX-License-Identifier: Apache-2.0
"""Deaths as the machines of a CI want them: GitHub annotations, a job summary, SARIF, JUnit texts.

In go deaths (a record, its screen, what died); out come texts and JSON values. Everything that may
come from a core is escaped for the format that it goes into. Nothing is written here, and nothing
is in these papers that the record does not hold: no values of locals.
"""
