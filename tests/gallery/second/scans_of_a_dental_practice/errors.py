# SPDX-License-Identifier: Apache-2.0
"""What may be wrong with a scan."""


class ScanError(Exception):
    """A scan that cannot be measured: says where."""

    def __init__(self, patient, slice_number):
        super().__init__(f"patient {patient}: slice {slice_number} is empty")
        self.patient = patient
        self.slice_number = slice_number
