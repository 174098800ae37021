// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *pair(PyObject *self, PyObject *object)
{
    PyObject *result = PyTuple_New(2);
    PyTuple_SET_ITEM(result, 0, object);
    PyTuple_SET_ITEM(result, 1, PyLong_FromLong(1));
    return result;
}
static PyMethodDef methods[] = {{"pair", pair, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "zipper", "", -1, methods};
PyMODINIT_FUNC PyInit_zipper(void) { return PyModule_Create(&module); }
