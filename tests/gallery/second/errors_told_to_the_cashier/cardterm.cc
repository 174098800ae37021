// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

std::string problem;

void describe()
{
    try {
        throw;
    } catch (const std::invalid_argument &error) {
        problem = std::string("not accepted: ") + error.what();
    } catch (const std::exception &error) {
        problem = error.what();
    }
}

void check_card(const char *card)
{
    if (std::strlen(card) != 16)
        throw std::invalid_argument("a card has 16 digits");
}

}  // namespace

extern "C" int card_charge(const char *card, long cents)
{
    try {
        check_card(card);
    } catch (...) {
        return 1;
    }
    return cents > 0 ? 0 : 2;
}

extern "C" const char *card_last_problem()
{
    describe();
    return problem.c_str();
}
