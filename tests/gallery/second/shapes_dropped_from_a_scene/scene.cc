// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <string>
#include <vector>
namespace {
struct Named {
    std::string name;
    virtual ~Named() = default;
};
struct Movable {
    double x = 0, y = 0;
    void move(double to_x, double to_y) { x = to_x, y = to_y; }
};
struct Shape : Named, Movable {
    std::vector<double> outline = std::vector<double>(8);
};
std::vector<Movable *> shapes;
PyObject *scene_add(PyObject *, PyObject *args)
{
    const char *name;
    double x, y;
    if (!PyArg_ParseTuple(args, "sdd", &name, &x, &y))
        return nullptr;
    auto *shape = new Shape;
    shape->name = name;
    shape->move(x, y);
    shapes.push_back(shape);
    Py_RETURN_NONE;
}
PyObject *scene_drop(PyObject *, PyObject *number)
{
    size_t at = PyLong_AsSize_t(number);
    if (at >= shapes.size())
        return PyErr_Format(PyExc_IndexError, "no shape %zu", at);
    delete shapes[at];
    shapes.erase(shapes.begin() + at);
    Py_RETURN_TRUE;
}
PyObject *scene_count(PyObject *, PyObject *) { return PyLong_FromSize_t(shapes.size()); }
PyMethodDef methods[] = {{"add", scene_add, METH_VARARGS, ""}, {"drop", scene_drop, METH_O, ""},
                         {"count", scene_count, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "scene", "", -1, methods};
}
PyMODINIT_FUNC PyInit_scene(void) { return PyModule_Create(&module); }
