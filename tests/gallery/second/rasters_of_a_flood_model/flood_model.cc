// SPDX-License-Identifier: Apache-2.0
#include <vector>

namespace {

class Raster {
public:
    Raster(long columns, long rows) : columns_(columns), cells_(columns * rows, 0.0) {}
    double &at(long column, long row) { return cells_[row * columns_ + column]; }

private:
    long columns_;
    std::vector<double> cells_;
};

}  // namespace

extern "C" double fm_depth(long columns, long rows)
{
    Raster ground(columns, rows), water(columns, rows);
    for (long row = 0; row < rows; row += 16)
        for (long column = 0; column < columns; column += 16) {
            ground.at(column, row) = 0.001 * column;
            water.at(column, row) = 4.0 - ground.at(column, row);
        }
    return water.at(columns / 2, rows / 2);
}
