# SPDX-License-Identifier: Apache-2.0
"""One connection has updated a row and not committed; a second connection of the same thread
updates the same row, and the server lets it wait. (postgres.py plays the server in a child.)"""

import os

import postgres
import psycopg2


class Accounts:
    def __init__(self, port):
        self.where = (
            f"host=127.0.0.1 port={port} user=shop dbname=shop sslmode=disable gssencmode=disable"
        )

    def open(self):
        return psycopg2.connect(self.where)


def add_points(connection, customer, points):
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE accounts SET points = points + {points} WHERE id = {customer}")


def audit(accounts, customer):
    connection = accounts.open()
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE accounts SET audited = now() WHERE id = {customer}")
    connection.commit()


def order_paid(accounts, customer):
    connection = accounts.open()
    add_points(connection, customer, 20)
    audit(accounts, customer)
    connection.commit()


def main():
    port = postgres.serve_in_child()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    order_paid(Accounts(port), 1042)


main()
