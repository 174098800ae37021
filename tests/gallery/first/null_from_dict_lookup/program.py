# SPDX-License-Identifier: Apache-2.0
"""An extension takes the result of PyDict_GetItemString without a check; the key is missing and
it increments the reference count of NULL.
"""

import settings


def load_settings(raw):
    return [settings.option_of(raw, key) for key in ("host", "port", "tls")]


print(load_settings({"host": "a", "port": 80}))
