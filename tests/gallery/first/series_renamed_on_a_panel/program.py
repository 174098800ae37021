# SPDX-License-Identifier: Apache-2.0
"""Names of the series on a panel of charts; some are replaced by one long name."""

import numpy as np


def panel(rows, columns):
    names = [f"v{number}" for number in range(rows * columns)]
    return np.array(names, dtype=np.dtypes.StringDType()).reshape(rows, columns)


def rename(names, rows, columns, name):
    names[rows, columns] = np.array(name, dtype=np.dtypes.StringDType())
    return names


names = panel(2, 2)
print(rename(names, [0, 1], [0, 1], "temperature of the boiler"))
