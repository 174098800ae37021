// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::map<std::string, std::vector<int>> grades;

int points_of(const std::string &field) { return std::stoi(field); }

void read_line(const std::string &line)
{
    std::istringstream fields(line);
    std::string pupil, field;
    std::getline(fields, pupil, ';');
    while (std::getline(fields, field, ';'))
        grades[pupil].push_back(points_of(field));
}

}  // namespace

extern "C" int gradebook_read(const char *text)
{
    std::istringstream lines(text);
    std::string line;
    int read = 0;
    try {
        for (; std::getline(lines, line); read++)
            read_line(line);
    } catch (const std::out_of_range &) {
        return -1;
    }
    return read;
}

extern "C" double gradebook_mean(const char *pupil)
{
    auto found = grades.find(pupil);
    if (found == grades.end() || found->second.empty())
        return -1;
    double sum = 0;
    for (int points : found->second)
        sum += points;
    return sum / found->second.size();
}
