// SPDX-License-Identifier: Apache-2.0
struct tariff {
    double first_hour;
    double further_hour;
    double most_per_day;
    int free_minutes;
};

double fee(const struct tariff *tariff, int minutes)
{
    if (minutes <= tariff->free_minutes)
        return 0;
    int hours = (minutes + 59) / 60;
    double sum = tariff->first_hour + (hours - 1) * tariff->further_hour;
    return sum < tariff->most_per_day ? sum : tariff->most_per_day;
}
