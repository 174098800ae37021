// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

struct point { double x, y; };

static std::vector<point> thinned(const point *track, int count, int step, int margin)
{
    std::vector<point> kept;
    kept.reserve(count / step - 2 * margin);
    for (int i = margin; i < count - margin; i += step)
        kept.push_back(track[i]);
    return kept;
}

extern "C" int thin_track(const point *track, int count, int step, int margin, point *out)
{
    int n = 0;
    for (const point &each : thinned(track, count, step, margin))
        out[n++] = each;
    return n;
}
