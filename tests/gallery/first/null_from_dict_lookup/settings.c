// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *option_of(PyObject *self, PyObject *args)
{
    PyObject *dict;
    const char *key;
    if (!PyArg_ParseTuple(args, "Os", &dict, &key)) return NULL;
    PyObject *value = PyDict_GetItemString(dict, key);
    Py_INCREF(value);
    return value;
}

static PyMethodDef methods[] = {{"option_of", option_of, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "settings", "", -1, methods};
PyMODINIT_FUNC PyInit_settings(void) { return PyModule_Create(&module); }
