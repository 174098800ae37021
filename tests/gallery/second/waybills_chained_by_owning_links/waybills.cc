// SPDX-License-Identifier: Apache-2.0
// The waybills of a freight company: each owns the one before it.
#include <cstdint>
#include <memory>
#include <string>

namespace {

struct Paper {
    virtual ~Paper() = default;
    virtual std::string title() const = 0;
};

struct Waybill : Paper {
    Waybill(std::uint32_t n, std::uint32_t kg, const char *to)
        : number(n), kilograms(kg), consignee(to)
    {
    }
    std::string title() const override { return std::to_string(number) + " " + consignee; }

    std::uint32_t number;
    std::uint32_t kilograms;
    std::string consignee;
    std::shared_ptr<Paper> before;
};

struct Ledger {
    std::shared_ptr<Paper> last;
    std::uint64_t kilograms = 0;
    std::uint32_t count = 0;
};

}  // namespace

extern "C" Ledger *ledger_open() { return new Ledger; }

extern "C" std::uint32_t ledger_add(Ledger *ledger, const char *consignee, std::uint32_t kilograms)
{
    auto waybill = std::make_shared<Waybill>(++ledger->count, kilograms, consignee);
    waybill->before = std::move(ledger->last);
    ledger->last = std::move(waybill);
    ledger->kilograms += kilograms;
    return ledger->count;
}

extern "C" std::uint64_t ledger_kilograms(const Ledger *ledger) { return ledger->kilograms; }

extern "C" void ledger_close(Ledger *ledger) { delete ledger; }
