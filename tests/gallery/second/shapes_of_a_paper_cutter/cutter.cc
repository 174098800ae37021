// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace {

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

class Circle : public Shape {
public:
    explicit Circle(double radius) : radius_(radius) {}
    double area() const override { return 3.14159265358979 * radius_ * radius_; }

private:
    double radius_;
};

class Oblong : public Shape {
public:
    Oblong(double width, double height) : width_(width), height_(height) {}
    double area() const override { return width_ * height_; }

private:
    double width_, height_;
};

struct Piece {
    PyObject_HEAD
    Shape *shape;
};

void piece_dealloc(PyObject *self)
{
    delete reinterpret_cast<Piece *>(self)->shape;
    Py_TYPE(self)->tp_free(self);
}

PyObject *piece_area(PyObject *self, PyObject *)
{
    return PyFloat_FromDouble(reinterpret_cast<Piece *>(self)->shape->area());
}

PyMethodDef piece_methods[] = {{"area", piece_area, METH_NOARGS, nullptr}, {}};
PyTypeObject piece_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject *piece_of(Shape *shape)
{
    Piece *piece = PyObject_New(Piece, &piece_type);
    if (piece == nullptr)
        delete shape;
    else
        piece->shape = shape;
    return reinterpret_cast<PyObject *>(piece);
}

PyObject *circle(PyObject *, PyObject *args)
{
    double radius;
    return PyArg_ParseTuple(args, "d", &radius) ? piece_of(new Circle(radius)) : nullptr;
}

PyObject *oblong(PyObject *, PyObject *args)
{
    double width, height;
    return PyArg_ParseTuple(args, "dd", &width, &height) ? piece_of(new Oblong(width, height))
                                                         : nullptr;
}

PyMethodDef functions[] = {
    {"circle", circle, METH_VARARGS, nullptr}, {"oblong", oblong, METH_VARARGS, nullptr}, {}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "cutter", nullptr, -1, functions};

}  // namespace

PyMODINIT_FUNC PyInit_cutter()
{
    piece_type.tp_name = "cutter.Piece";
    piece_type.tp_basicsize = sizeof(Piece);
    piece_type.tp_flags = Py_TPFLAGS_DEFAULT;
    piece_type.tp_dealloc = piece_dealloc;
    piece_type.tp_methods = piece_methods;
    if (PyType_Ready(&piece_type) < 0)
        return nullptr;
    return PyModule_Create(&module);
}
