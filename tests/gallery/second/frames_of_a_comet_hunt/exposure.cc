// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

class Exposure {
public:
    explicit Exposure(int number) : number_(number) {}
    virtual ~Exposure() { finish(); }
    void add(double counts) { counts_.push_back(counts); }
    __attribute__((noinline)) void finish()
    {
        if (counts_.empty())
            return;
        std::fprintf(stderr, "exposure %d: %.1f\n", number_, reduce(counts_));
        counts_.clear();
    }

protected:
    virtual double reduce(const std::vector<double>& counts) const = 0;

private:
    int number_;
    std::vector<double> counts_;
};

class DarkCorrected : public Exposure {
public:
    DarkCorrected(int number, double dark) : Exposure(number), dark_(dark) {}

protected:
    double reduce(const std::vector<double>& counts) const override
    {
        double sum = 0;
        for (double each : counts)
            sum += each - dark_;
        return sum / counts.size();
    }

private:
    double dark_;
};

extern "C" {
void* exposure_begin(int number, double dark) { return new DarkCorrected(number, dark); }
void exposure_add(void* exposure, double counts) { static_cast<Exposure*>(exposure)->add(counts); }
void exposure_finish(void* exposure) { static_cast<Exposure*>(exposure)->finish(); }
void exposure_discard(void* exposure) { delete static_cast<Exposure*>(exposure); }
}
