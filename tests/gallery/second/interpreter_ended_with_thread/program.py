# SPDX-License-Identifier: Apache-2.0
"""A host of plugins ends a subinterpreter while a second thread state of it is left; CPython ends
the process.
"""

import plugins


def run_plugin(source):
    return plugins.run(source)


run_plugin("total = sum(range(100))")
