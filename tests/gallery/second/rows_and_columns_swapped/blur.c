// SPDX-License-Identifier: Apache-2.0
void blur(double *pixels, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < 2 * width; x++)
            pixels[y * 30 + x] = 0.25 * (x + y) + 1.0 / 3;
}
