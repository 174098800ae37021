# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["sqlalchemy"]}
"""Rows of SQLAlchemy: of texts, of columns, of entities."""

import datetime
import decimal

import sqlalchemy
from library_values import dying, way
from sqlalchemy import text

KINDS = sqlalchemy.Table(
    "kinds",
    sqlalchemy.MetaData(),
    sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True),
    sqlalchemy.Column("day", sqlalchemy.Date),
    sqlalchemy.Column("price", sqlalchemy.Numeric(10, 2)),
)


def rows(death, connection):
    one = connection.execute(text("select 1 as a, 'x' as b")).one()
    several = connection.execute(text("select 1 as a union select 2 order by 1")).all()
    single = connection.execute(text("select 5")).first()
    nothing = connection.execute(text("select null as n, 2.5 as r")).one()
    mapping = connection.execute(text("select 1 as a, 'x' as b")).mappings().one()
    mappings = connection.execute(text("select 1 as a")).mappings().all()
    account = connection.execute(text("select 'ann' as user, 'hunter2' as password")).one()
    plain = tuple(one)
    nested = {"rows": several, "first": one}
    tables(death, connection)


def tables(death, connection):
    values = {"day": datetime.date(2024, 2, 29), "price": decimal.Decimal("12.50")}
    connection.execute(KINDS.insert(), [values])
    row = connection.execute(sqlalchemy.select(KINDS)).one()
    part = row[1:]
    day = row.day
    scalar = connection.execute(sqlalchemy.select(KINDS.c.price)).scalar()
    dying(death)


if __name__ == "__main__":
    death = way()
    with sqlalchemy.create_engine("sqlite://").connect() as connection:
        KINDS.create(connection)
        rows(death, connection)
