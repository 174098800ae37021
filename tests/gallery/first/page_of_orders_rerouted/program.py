# SPDX-License-Identifier: Apache-2.0
"""A debugging helper of a report: the source of a running query can be exchanged for a sample."""


def orders(source):
    return (order * 2 for order in source)


def exchange_source(query, sample):
    """Let a query that has not begun read a sample instead."""
    variables = query.gi_frame.f_locals
    variables[".0"] = sample
    return query


def page(query, size):
    found = []
    for order in query:
        found.append(order)
        if len(found) == size:
            break
    return found


print(page(orders(range(1000)), 5))
print(page(exchange_source(orders(range(1000)), range(5)), 5))
