// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
typedef int (*callback)(int node);
int visit(int node, callback on_node)
{
    char path[8192];
    snprintf(path, sizeof path, "/node/%d", node);
    return on_node(node) + path[6];
}
