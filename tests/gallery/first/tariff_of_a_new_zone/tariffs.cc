// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <unordered_map>

namespace parking {

class Tariff {
public:
    virtual ~Tariff() = default;
    virtual double fee(double hours) const = 0;
};

class Day : public Tariff {
public:
    explicit Day(double rate) : rate_(rate) {}
    double fee(double hours) const override { return rate_ * hours; }

private:
    double rate_;
};

class Night : public Tariff {
public:
    explicit Night(double rate) : rate_(rate) {}
    double fee(double hours) const override { return hours > 8 ? 8 * rate_ : rate_ * hours; }

private:
    double rate_;
};

std::unordered_map<std::string, std::unique_ptr<Tariff>> zones;

double fee_of(const std::string &zone, double hours)
{
    auto found = zones.find(zone);
    return found->second->fee(hours);
}

}  // namespace parking

extern "C" void tariffs_add(const char *zone, const char *kind, double rate)
{
    if (std::string(kind) == "day")
        parking::zones[zone] = std::make_unique<parking::Day>(rate);
    else
        parking::zones[zone] = std::make_unique<parking::Night>(rate);
}

extern "C" double tariffs_fee(const char *zone, double hours)
{
    return parking::fee_of(zone, hours);
}
