// SPDX-License-Identifier: Apache-2.0
#include <vector>
struct Line {
    long number;
    std::vector<double> minutes;
};
extern "C" Line *new_line() { return new Line{7, {}}; }
extern "C" void add_stop(Line *line, double minutes) { line->minutes.push_back(minutes); }
extern "C" double minutes_of(Line *line)
{
    double sum = 0;
    for (double each : line->minutes) sum += each;
    return sum;
}
