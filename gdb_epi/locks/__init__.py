# SPDX-License-Identifier: Apache-2.0
"""Every lock that can be seen; one file per family."""
