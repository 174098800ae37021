// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

struct Trailer {
    std::string kind;
    size_t axles = 2;
};

class Vehicle {
public:
    explicit Vehicle(const char *plate) : plate(plate) {}
    virtual ~Vehicle() = default;
    std::string plate;
};

class Truck : public Vehicle {
public:
    Truck(const char *plate, const char *kind) : Vehicle(plate), trailer(new Trailer{kind}) {}
    __attribute__((noinline)) size_t trailer_axles() const { return trailer->axles; }

private:
    std::unique_ptr<Trailer> trailer;
};

class Van : public Vehicle {
public:
    Van(const char *plate, double volume) : Vehicle(plate), volume(volume) {}
    double volume;
};

static std::vector<Vehicle *> fleet;

extern "C" void fleet_add_truck(const char *plate, const char *kind)
{
    fleet.push_back(new Truck(plate, kind));
}

extern "C" void fleet_add_van(const char *plate, double volume)
{
    fleet.push_back(new Van(plate, volume));
}

extern "C" size_t fleet_count_trailers()
{
    size_t axles = 0;
    for (Vehicle *vehicle : fleet)
        axles += static_cast<Truck *>(vehicle)->trailer_axles();
    return axles / 2;
}
