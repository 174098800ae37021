# SPDX-License-Identifier: Apache-2.0
"""What can be seen of the dead process, and where each byte comes from."""
