# SPDX-License-Identifier: Apache-2.0
"""An error message is built with %s for an integer argument; the formatter takes the number for
the address of text.
"""

import rules


def validate(row):
    return rules.reject(row["age"])


print(validate({"age": 150}))
