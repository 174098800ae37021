// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *reject(PyObject *self, PyObject *value)
{
    long age = PyLong_AsLong(value);
    PyErr_Format(PyExc_ValueError, "bad age: %s", age);
    return NULL;
}
static PyMethodDef methods[] = {{"reject", reject, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rules", "", -1, methods};
PyMODINIT_FUNC PyInit_rules(void) { return PyModule_Create(&module); }
