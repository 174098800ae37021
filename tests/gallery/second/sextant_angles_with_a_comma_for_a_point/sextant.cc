#include <mutex>
#include <string>
#include <thread>
#include <vector>

// Reduces sextant sights; the lines of a log are shared out to threads.

namespace {

struct Sight {
    std::string star;
    double altitude;
};

class Reduction {
  public:
    explicit Reduction(std::vector<std::string> lines) : lines_(std::move(lines)) {}

    double run(unsigned hands)
    {
        std::vector<std::thread> threads;
        for (unsigned hand = 0; hand < hands; hand++)
            threads.emplace_back([this, hand, hands] { reduce_share(hand, hands); });
        for (auto &thread : threads)
            thread.join();
        return sum_;
    }

  private:
    static Sight read_sight(const std::string &line)
    {
        auto blank = line.find(' ');
        return {line.substr(0, blank), std::stod(line.substr(blank + 1))};
    }

    void reduce_share(unsigned hand, unsigned hands)
    {
        for (size_t i = hand; i < lines_.size(); i += hands) {
            Sight sight = read_sight(lines_[i]);
            std::lock_guard<std::mutex> hold(guard_);
            sum_ += sight.altitude - 0.0167 / (sight.altitude + 4.4);
        }
    }

    std::vector<std::string> lines_;
    std::mutex guard_;
    double sum_ = 0;
};

}  // namespace

extern "C" int
sextant_reduce(const char *log, unsigned hands, double *mean)
{
    std::vector<std::string> lines;
    std::string text(log);

    for (size_t at = 0, end; at < text.size(); at = end + 1) {
        end = text.find('\n', at);
        if (end == std::string::npos)
            end = text.size();
        lines.push_back(text.substr(at, end - at));
    }
    if (lines.empty())
        return -1;
    try {
        double count = lines.size();
        *mean = Reduction(std::move(lines)).run(hands) / count;
    } catch (const std::exception &) {
        return -2;
    }
    return 0;
}
