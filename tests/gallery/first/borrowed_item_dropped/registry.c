// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *touch(PyObject *self, PyObject *args)
{
    PyObject *list;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "On", &list, &at)) return NULL;
    PyObject *item = PyList_GetItem(list, at);
    if (!item) return NULL;
    PyObject *name = PyObject_GetAttrString(item, "name");
    Py_XDECREF(name);
    Py_DECREF(item);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"touch", touch, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "registry", "", -1, methods};
PyMODINIT_FUNC PyInit_registry(void) { return PyModule_Create(&module); }
