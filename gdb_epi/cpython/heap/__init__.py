# SPDX-License-Identifier: Apache-2.0
"""Objects by searching memory: of a type, by what they hold, by who refers to them.

In: a Target and a decoded `PythonState`. Out: addresses with what is known about them: objects of a
type (`object_search`), references (`referrers`), texts, and what lies at an address
(`find_objects`), the collector's lists (`gc_lists`), instances of named classes (`instances`).

What an object's value is belongs to `values`; whether memory was damaged, to `corruption`.
"""
