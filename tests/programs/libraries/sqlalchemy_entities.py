# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["sqlalchemy"]}
"""Entities, rows of entities and URLs of SQLAlchemy."""

import sqlalchemy
from library_values import dying, way
from sqlalchemy import orm

Base = orm.declarative_base()


class Item(Base):
    __tablename__ = "items"
    id = sqlalchemy.Column(sqlalchemy.Integer, primary_key=True)
    name = sqlalchemy.Column(sqlalchemy.String)


def entities(death, session):
    row = session.execute(sqlalchemy.select(Item.id, Item.name)).first()
    item = session.execute(sqlalchemy.select(Item)).scalar()
    with_item = session.execute(sqlalchemy.select(Item, Item.name)).first()
    count = session.execute(sqlalchemy.select(sqlalchemy.func.count(Item.id).label("n"))).one()
    url = sqlalchemy.engine.make_url("postgresql://user:hunter2@host:5432/base")
    local = sqlalchemy.engine.make_url("sqlite:///file.db")
    dying(death)


if __name__ == "__main__":
    death = way()
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool)
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        session.add(Item(name="one"))
        session.commit()
        entities(death, session)
