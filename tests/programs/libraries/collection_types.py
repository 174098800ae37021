# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""The containers of collections, queues, and views."""

import array
import collections
import heapq
import types

from library_values import dying, way


class OwnDict(dict):
    pass


class OwnUser(collections.UserDict):
    pass


def containers(death):
    ordered, no_order = collections.OrderedDict([("b", 1), ("a", [2])]), collections.OrderedDict()
    queue, short = collections.deque([1, "x"]), collections.deque("abc", maxlen=2)
    counted, default = collections.Counter("mississippi"), collections.defaultdict(list, a=[1])
    chained = collections.ChainMap({"a": 1}, {"b": 2})
    users = [collections.UserDict(a=1), collections.UserList([1]), collections.UserString("s")]
    own, own_user, no_count = OwnDict(a=1), OwnUser(b=2), collections.Counter()
    nested = collections.defaultdict(lambda: 0)[1], collections.defaultdict(None, {1: {2: 3}})
    proxy, space = types.MappingProxyType({"a": 1}), types.SimpleNamespace(a=1, b=[2])
    moved = collections.OrderedDict(a=1, b=2)
    moved.move_to_end("a")
    views = [{"a": 1}.keys(), {"a": 1}.items(), {"a": 1}.values()]
    numbers, letters = array.array("d", [0.5, 1.0]), array.array("i")
    loop = collections.deque()
    loop.append(loop)
    self_list, self_dict = [1], {}
    self_list.append(self_list)
    self_dict["me"] = self_dict
    dying(death)


if __name__ == "__main__":
    containers(way())
