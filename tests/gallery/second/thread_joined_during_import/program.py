# SPDX-License-Identifier: Apache-2.0
"""A module starts a thread while it is imported and waits for its end; the thread imports that
module and waits for the import lock.
"""

import catalogue

print(catalogue.prices)
