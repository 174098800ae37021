# SPDX-License-Identifier: Apache-2.0
class PermitError(Exception):
    def __init__(self, number, reason):
        super().__init__(f"permit {number}: {reason}")
        self.number = number
        self.reason = reason
