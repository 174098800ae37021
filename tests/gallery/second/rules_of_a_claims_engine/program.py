# SPDX-License-Identifier: Apache-2.0
"""Decides insurance claims by rules that clerks have chained over the years."""

import queue
import threading

import rule_engine


def chain(rules):
    """Return one rule, ("or", first, ("or", second, ...)), of many."""
    whole = ("limit", 0)
    for number in range(rules):
        whole = ("or", ("limit", 10_000_000 + number), whole)
    return whole


def decide(claims, decisions, rule):
    while True:
        amount = claims.get()
        decisions.put((amount, rule_engine.holds(rule, amount)))


def main():
    decisions, desks = queue.Queue(), {}
    old_stack = threading.stack_size(512 * 1024)
    for name, rules in (("bicycles", 12), ("houses", 40), ("ships", 9000)):
        desks[name] = queue.Queue()
        threading.Thread(
            target=decide, args=(desks[name], decisions, chain(rules)), name=name, daemon=True
        ).start()
    threading.stack_size(old_stack)
    for amount in range(100, 5000, 100):
        for name, claims in desks.items():
            claims.put(amount)
            print(name, *decisions.get(), flush=True)


if __name__ == "__main__":
    main()
