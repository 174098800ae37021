# SPDX-License-Identifier: Apache-2.0
"""A store of objects like those of the clouds."""

import bisect
from dataclasses import dataclass, field
from typing import List, Optional


@dataclass(frozen=True)
class Object:
    key: str
    size: int


@dataclass
class Page:
    objects: List[Object]
    next_token: Optional[str] = None


@dataclass
class Bucket:
    name: str
    page_size: int = 100
    _objects: List[Object] = field(default_factory=list)
    _order: List[str] = field(default_factory=list)

    def put(self, key, size):
        place = bisect.bisect(self._order, key.casefold())
        self._order.insert(place, key.casefold())
        self._objects.insert(place, Object(key, size))

    def list_objects(self, prefix="", token=None):
        place = bisect.bisect(self._order, token) if token else 0
        page = Page([])
        for each in self._objects[place:]:
            if len(page.objects) == self.page_size:
                page.next_token = page.objects[-1].key
                break
            if each.key.casefold().startswith(prefix):
                page.objects.append(each)
        return page
