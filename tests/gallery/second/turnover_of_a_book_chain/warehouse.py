# SPDX-License-Identifier: Apache-2.0
"""Sales of a chain in SQLite."""

import contextlib
import sqlite3

SALES = """
create table sale as
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
select i as id, i * 7919 % 40 as shop, i * 104729 % 900 as title, i % 1800 / 100.0 as price from n
"""
PAIRS = """
select a.title, b.title, count(*) as together, sum(a.price + b.price) as turnover
from sale a join sale b on a.shop = b.shop or abs(a.id - b.id) < 3
where a.title < b.title and (a.price * 31 + b.price * 17) - round(a.price + b.price) > 5
group by a.title, b.title having together > 1 order by turnover desc limit 20
"""


class Warehouse:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:", check_same_thread=False)
        self.connection.execute(SALES)

    @contextlib.contextmanager
    def cursor(self):
        with contextlib.closing(self.connection.cursor()) as cursor:
            yield cursor

    def sold_together(self):
        with self.cursor() as cursor:
            return cursor.execute(PAIRS).fetchall()
