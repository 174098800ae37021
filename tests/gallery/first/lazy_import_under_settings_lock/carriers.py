# SPDX-License-Identifier: Apache-2.0
import settings

TIMEOUT = settings.get("timeout")


def quote(weight):
    return weight * 2 + TIMEOUT


def check(values):
    if values["timeout"] > 60:
        raise ValueError("timeout")
