# SPDX-License-Identifier: Apache-2.0
"""Fixed columns, as the punched cards had them."""

import dialects

WIDTHS = (10, 4, 5)

# The tables below took a while to build on the old machine; here two events take their place.
dialects.meeting["importing"].set()
dialects.meeting["looking"].wait()


@dialects.register("columns")
def read(row):
    fields, start = [], 0
    for width in WIDTHS:
        fields.append(row[start : start + width].strip())
        start += width
    return fields
