// SPDX-License-Identifier: Apache-2.0
#include <string>

struct Shape {
    virtual ~Shape() {}
    virtual double area() const = 0;
};

struct Square : Shape {
    double side;
    explicit Square(double value) : side(value) {}
    double area() const override { return side * side; }
};

struct Circle : Shape {
    double size;
    explicit Circle(double value) : size(value) {}
    double area() const override { return 3.14159 * size * size; }
    virtual double radius() const { return size; }
    virtual double bow(double angle) const { return size * angle; }
};

static double cut_length(const Circle *circle) { return circle->bow(6.28318); }

extern "C" Shape *make_shape(int kind, double value)
{
    return kind ? static_cast<Shape *>(new Circle(value)) : new Square(value);
}

extern "C" double shape_area(Shape *shape) { return shape->area(); }
// Laser jobs used to be of circles only.
extern "C" double laser_path(Shape *shape) { return cut_length(static_cast<Circle *>(shape)); }
