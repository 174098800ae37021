// SPDX-License-Identifier: Apache-2.0
// Windows of a glazier's catalogue: a base class, its shapes, and a registry that measures them.
#include <cmath>
#include <map>
#include <memory>
#include <string>

namespace glazing {

class Pane;
double measure(const Pane &pane);

class Pane {
public:
    explicit Pane(const std::string &name, bool counted) : name_(name)
    {
        // A counted pane enters the stock at once, with its area.
        if (counted) stock()[name_] += measure(*this);
    }
    virtual ~Pane() = default;
    virtual double area() const = 0;
    static std::map<std::string, double> &stock()
    {
        static std::map<std::string, double> all;
        return all;
    }

private:
    std::string name_;
};

__attribute__((noinline)) double measure(const Pane &pane)
{
    __asm__ volatile("" : : "r"(&pane) : "memory");
    return pane.area() * 1.02;
}

class Rectangle : public Pane {
public:
    Rectangle(double a, double b, bool counted) : Pane("rectangle", counted), a_(a), b_(b) {}
    double area() const override { return a_ * b_; }

private:
    double a_, b_;
};

class Rose : public Pane {
public:
    Rose(double radius, bool counted) : Pane("rose", counted), radius_(radius) {}
    double area() const override { return M_PI * radius_ * radius_; }

private:
    double radius_;
};

}  // namespace glazing

extern "C" {
__attribute__((noinline)) void *new_pane(int shape, double a, double b, int counted)
{
    using namespace glazing;
    if (shape == 0) return static_cast<Pane *>(new Rectangle(a, b, counted));
    return static_cast<Pane *>(new Rose(a, counted));
}
double pane_area(void *pane) { return glazing::measure(*static_cast<glazing::Pane *>(pane)); }
void delete_pane(void *pane) { delete static_cast<glazing::Pane *>(pane); }
}
