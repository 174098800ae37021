// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

namespace {

PyObject* load_colours()
{
    PyObject* module = PyImport_ImportModule("colours");
    if (!module)
        return nullptr;
    PyObject* table = PyObject_CallMethod(module, "build", nullptr);
    Py_DECREF(module);
    return table;
}

PyObject* colour_table()
{
    static PyObject* const table = load_colours();
    return table;
}

PyObject* nearest(PyObject*, PyObject* args)
{
    long wanted;
    if (!PyArg_ParseTuple(args, "l", &wanted))
        return nullptr;
    PyObject* table = colour_table();
    if (!table)
        return PyErr_Format(PyExc_RuntimeError, "no colours");
    return PySequence_GetItem(table, wanted % PySequence_Size(table));
}

PyMethodDef methods[] = {{"nearest", nearest, METH_VARARGS, nullptr}, {}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "palette", nullptr, -1, methods};

} // namespace

PyMODINIT_FUNC PyInit_palette() { return PyModule_Create(&definition); }
