# SPDX-License-Identifier: Apache-2.0
"""Tries the discount rules of customers, each in an interpreter of its own."""

import apart

RULES = {
    "spring": "assert 100 * 0.85 == 85.0",
    "staff": "import json; json.loads('{\"off\": 30}')",
    "bulk": "[n - n // 10 for n in range(50)]",
}


def try_rules(rules):
    verdicts = {}
    for name, source in rules.items():
        verdicts[name] = "fits" if apart.run(source) == 0 else "refused"
    return verdicts


def main():
    print("\n".join("%-8s %s" % item for item in try_rules(RULES).items()))


main()
