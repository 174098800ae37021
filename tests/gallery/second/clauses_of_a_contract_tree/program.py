# SPDX-License-Identifier: Apache-2.0
import clausetree

LEASE = "\n".join(
    f"{'  ' * (n % 3)}Clause {n} on {w}"
    for n, w in enumerate("rent deposit heating repairs pets garden keys notice parking".split(), 1)
)


class Contract:
    def __init__(self, text):
        self.tree = clausetree.parse(text)
        self.size = len(text)

    def clauses(self):
        return walk(self.tree.first)


def walk(clause):
    while clause is not None:
        yield clause
        clause = clause.next


def longest(contract):
    return max(contract.clauses(), key=lambda clause: len(clause.title))


def headings(texts):
    found = [longest(Contract(text)) for text in texts]
    return [clause.title.strip() for clause in found]


print(longest(lease := Contract(LEASE)).title, lease.size, flush=True)
print(headings([LEASE, LEASE.replace("Clause", "Article")]))
