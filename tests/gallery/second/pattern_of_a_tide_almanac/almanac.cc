// The lines of the almanac, and searches in them by regular expressions.
#include <regex>
#include <string>
#include <vector>

namespace {

std::vector<std::string> lines;

class Search {
  public:
    Search(const std::string &station, const std::string &pattern)
        : station_(station), expression_(pattern, std::regex::ECMAScript | std::regex::optimize)
    {
    }

    bool matches(const std::string &line) const
    {
        return line.compare(0, station_.size(), station_) == 0 &&
               std::regex_search(line, expression_);
    }

  private:
    std::string station_;
    std::regex expression_;
};

} // namespace

extern "C" void almanac_add(const char *line)
{
    lines.emplace_back(line);
}

extern "C" int almanac_search(const char *station, const char *pattern)
{
    Search search(station, pattern);
    int found = 0;
    for (const auto &line : lines)
        found += search.matches(line);
    return found;
}
