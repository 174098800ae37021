// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Journal {
    std::vector<double> values;
};

class Probe {
public:
    explicit Probe(Journal &journal) : journal_(journal) {}
    virtual ~Probe();
    virtual double read() = 0;
    void sample();

private:
    Journal &journal_;
};

__attribute__((noinline)) void Probe::sample()
{
    journal_.values.push_back(read());
}

Probe::~Probe()
{
    sample();
}

class Thermometer : public Probe {
public:
    using Probe::Probe;
    double read() override { return 18.5 + 0.1 * ++count_; }

private:
    int count_ = 0;
};

class Hydrometer : public Probe {
public:
    using Probe::Probe;
    double read() override { return gravity_ -= 0.25; }

private:
    double gravity_ = 12.0;
};

struct Vat {
    Journal journal;
    std::vector<std::unique_ptr<Probe>> probes;
};

}  // namespace

extern "C" Vat *vat_new(int hydrometer)
{
    auto vat = new Vat;
    vat->probes.push_back(std::make_unique<Thermometer>(vat->journal));
    if (hydrometer)
        vat->probes.push_back(std::make_unique<Hydrometer>(vat->journal));
    return vat;
}

extern "C" size_t vat_sample(Vat *vat)
{
    for (auto &probe : vat->probes)
        probe->sample();
    return vat->journal.values.size();
}

extern "C" void vat_empty(Vat *vat)
{
    vat->probes.clear();
    delete vat;
}
