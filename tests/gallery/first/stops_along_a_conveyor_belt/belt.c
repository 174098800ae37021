/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of a conveyor belt, in metres. */

long belt_stops(float start, float end, float step)
{
    long stops = 0;
    float at = start;
    while (at != end) {
        at += step;
        stops++;
    }
    return stops;
}
