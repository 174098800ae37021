# SPDX-License-Identifier: Apache-2.0
"""What the other modules need of the prices."""

import tariffs

__all__ = ["tariffs"]
