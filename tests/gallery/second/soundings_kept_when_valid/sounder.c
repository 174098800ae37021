// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

static PyObject *collect(PyObject *self, PyObject *args)
{
    Py_ssize_t count;
    PyObject *reader;
    if (!PyArg_ParseTuple(args, "nO", &count, &reader))
        return NULL;
    PyObject *depths = PyList_New(count);
    if (!depths)
        return NULL;
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *depth = PyObject_CallFunction(reader, "n", n);
        if (!depth) {
            Py_DECREF(depths);
            return NULL;
        }
        if (depth == Py_None) {
            Py_DECREF(depth);
            continue;
        }
        PyList_SET_ITEM(depths, n, depth);
    }
    return depths;
}

static PyMethodDef methods[] = {{"collect", collect, METH_VARARGS, "Depths of a survey."}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "sounder", "", -1, methods};
PyMODINIT_FUNC PyInit_sounder(void) { return PyModule_Create(&module); }
