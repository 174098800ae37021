# SPDX-License-Identifier: Apache-2.0
"""The checks. One file each; docs of a check list the innocent causes that it rules out."""
