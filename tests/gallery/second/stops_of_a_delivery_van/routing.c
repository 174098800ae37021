// SPDX-License-Identifier: Apache-2.0
struct stop {
    double x, y;
    struct stop *next;
};

struct route {
    struct stop *first;
    int stops;
};

double route_length(const struct route *route)
{
    double length = 0, x = 0, y = 0;
    for (const struct stop *stop = route->first; stop; stop = stop->next) {
        double across = stop->x - x, up = stop->y - y;
        length += __builtin_sqrt(across * across + up * up);
        x = stop->x;
        y = stop->y;
    }
    return length;
}
