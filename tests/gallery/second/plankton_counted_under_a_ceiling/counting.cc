// Counts cells: the brightness of a picture is smoothed, then maxima are sought.
#include <cstddef>
#include <vector>

namespace {

std::vector<float> smoothed(const unsigned char *picture, std::size_t size)
{
    std::vector<float> plane(size);
    float level = 0;
    for (std::size_t i = 0; i < size; i++) {
        level += (picture[i] - level) * 0.25f;
        plane[i] = level;
    }
    return plane;
}

int maxima(const std::vector<float> &plane)
{
    int found = 0;
    for (std::size_t i = 1; i + 1 < plane.size(); i++)
        found += plane[i] > plane[i - 1] && plane[i] >= plane[i + 1];
    return found;
}

} // namespace

extern "C" int count_cells(const char *picture, long size)
{
    auto plane = smoothed(reinterpret_cast<const unsigned char *>(picture), size);
    return maxima(plane);
}
