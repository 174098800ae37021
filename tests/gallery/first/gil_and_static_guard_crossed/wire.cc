// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

static PyObject *import_converter()
{
    PyObject *module = PyImport_ImportModule("money");
    return module ? PyObject_GetAttrString(module, "to_cents") : nullptr;
}

static PyObject *converter()
{
    static PyObject *kept = import_converter();
    return kept;
}

static PyObject *encode(PyObject *, PyObject *row)
{
    PyObject *to_cents = converter();
    return to_cents ? PyObject_CallFunctionObjArgs(to_cents, row, nullptr) : nullptr;
}

static PyMethodDef methods[] = {{"encode", encode, METH_O, nullptr}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "wire", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_wire() { return PyModule_Create(&module); }
