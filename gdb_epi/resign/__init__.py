# SPDX-License-Identifier: Apache-2.0
"""Make the keys of stored records anew from their stored frames, without the cores."""
