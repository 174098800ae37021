// Enumerates seatings of a gala dinner and keeps all that are good enough.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

struct Seating {
    std::vector<std::uint16_t> order;
    double harmony;
};

class Planner {
  public:
    Planner(int guests, double bar) : guests(guests), bar(bar) {}

    std::size_t plan(std::uint64_t limit)
    {
        std::vector<std::uint16_t> order(guests);
        std::iota(order.begin(), order.end(), 0);
        for (std::uint64_t tried = 0; tried < limit; tried++) {
            double harmony = judge(order);
            if (harmony >= bar)
                keep(order, harmony);
            if (!std::next_permutation(order.begin(), order.end()))
                break;
        }
        return kept.size();
    }

    double best() const
    {
        double most = 0;
        for (const Seating &seating : kept)
            most = std::max(most, seating.harmony);
        return most;
    }

  private:
    double judge(const std::vector<std::uint16_t> &order) const
    {
        double sum = 0;
        for (std::size_t i = 1; i < order.size(); i++)
            sum += ((order[i] * 7 + order[i - 1] * 3) % 11) / 10.0;
        return sum / order.size();
    }

    void keep(const std::vector<std::uint16_t> &order, double harmony)
    {
        kept.push_back(Seating{order, harmony});
    }

    int guests;
    double bar;
    std::vector<Seating> kept;
};

} // namespace

extern "C" int seating_check(int guests)
{
    try {
        if (guests < 2)
            throw std::invalid_argument("a dinner wants two guests");
    } catch (const std::invalid_argument &) {
        return 0;
    }
    return 1;
}

extern "C" double seating_best(int guests, double bar, std::uint64_t limit, std::uint64_t *number)
{
    Planner planner(guests, bar);
    *number = planner.plan(limit);
    return planner.best();
}
