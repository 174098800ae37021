/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

/* PyDict_Next lends its references. */
static PyObject *find(PyObject *index, PyObject *wanted)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(index, &at, &key, &value)) {
        int same = PyUnicode_Compare(key, wanted) == 0;
        if (same) {
            Py_INCREF(value);
            Py_DECREF(key);
            return value;
        }
    }
    Py_RETURN_NONE;
}

static PyObject *lookup(PyObject *self, PyObject *args)
{
    PyObject *index, *wanted;
    if (!PyArg_ParseTuple(args, "O!U", &PyDict_Type, &index, &wanted))
        return NULL;
    return find(index, wanted);
}

static PyMethodDef methods[] = {{"lookup", lookup, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "stockindex", NULL, -1, methods};
PyMODINIT_FUNC PyInit_stockindex(void) { return PyModule_Create(&module); }
