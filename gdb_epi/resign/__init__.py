# SPDX-License-Identifier: Apache-2.0
"""Make the keys of stored records anew from their stored frames, without the cores.

In come records, in files or in the fleet database; out come the same records with the keys of this
version's rules (signature.py), written back as a whole or batch by batch (files.py).
"""
