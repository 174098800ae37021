# SPDX-License-Identifier: Apache-2.0
"""Facts of one process that a core holds beside its stacks: CPU, kernel, environment, packages."""
