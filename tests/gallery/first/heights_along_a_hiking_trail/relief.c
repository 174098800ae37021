/* SPDX-License-Identifier: Apache-2.0 */
/* Height between grid points, by bilinear interpolation. */
double height_at(const float *grid, int width, int height, double x, double y)
{
    if (x < 0 || y < 0 || x >= width - 1 || y >= height - 1)
        return 0;
    int column = (int)x, row = (int)y;
    double right = x - column, down = y - row;
    const float *corner = grid + (long)row * width + column;
    double upper = corner[0] * (1 - right) + corner[1] * right;
    double lower = corner[width] * (1 - right) + corner[width + 1] * right;
    return upper * (1 - down) + lower * down;
}
