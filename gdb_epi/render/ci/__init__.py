# SPDX-License-Identifier: Apache-2.0
"""Deaths in the formats of CI systems: GitHub annotations, a job summary, SARIF, JUnit texts.

In: deaths (a record, its screen, what died). Out: texts and JSON values. Everything that may come
from a core is escaped for its format. Nothing is written to files here, and nothing is included
that the record does not hold: no values of locals.
"""
