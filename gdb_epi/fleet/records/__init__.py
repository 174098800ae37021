# SPDX-License-Identifier: Apache-2.0
"""Records on their way to the database and as it keeps them; no database is opened here.

In come records (JSON) from files, streams and the spool; out go rows of the star (`projection`),
what may be kept (`redact`), and the packed text that is stored (`packing`). `prepare` does all of
it for a batch, `helper_processes` for large files. Ids, SQL and whatever needs SQLAlchemy belong in
`store`.
"""
