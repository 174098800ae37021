# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die with a secret that one name tells, and which stands under other names and in texts too.

The innermost function shows it before any name has told what it is.
"""

import deathbed


class Account:
    def __init__(self, given):
        self.password = given


def shown_first(way, login, line, raw):
    seen = "visible"
    deathbed.die(way)
    return seen, login, line, raw


def told_by_a_key(way, account, key):
    settings = {"user": "visible", "api_key": key}
    login = ("visible", account.password)
    shown_first(way, login, f"login visible with {account.password} or {key}", [key])
    return settings


def main(way):
    account = Account("-".join(["hunter2", "ACCOUNT"]))
    token = "-".join(["hunter2", "TOKEN"])
    auth = "visible"
    password = "".join(["sword", "fish"])
    kept = (password, auth)
    try:
        raise ValueError(f"visible: refused {token}")
    except ValueError:
        told_by_a_key(way, account, "-".join(["hunter2", "KEY"]))
    return kept


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
