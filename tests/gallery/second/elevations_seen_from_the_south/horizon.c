// SPDX-License-Identifier: Apache-2.0

/* Cells that are higher than all cells before them in their column. */
long visible_cells(const float *heights, long rows, long columns)
{
    long visible = 0;
    for (long column = 0; column < columns; column++) {
        float highest = -1e9f;
        for (long row = 0; row < rows; row++) {
            float height = heights[row * columns + column];
            if (height > highest) {
                highest = height;
                visible++;
            }
        }
    }
    return visible;
}
