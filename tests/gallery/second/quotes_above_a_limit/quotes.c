// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *above(PyObject *self, PyObject *args)
{
    PyObject *book;
    double limit;
    if (!PyArg_ParseTuple(args, "O!d", &PyList_Type, &book, &limit)) {
        return NULL;
    }
    Py_ssize_t size = PyList_GET_SIZE(book);
    PyObject *picked = PyList_New(size);
    if (picked == NULL) {
        return NULL;
    }
    Py_ssize_t place = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *quote = PyList_GET_ITEM(book, i);
        if (PyFloat_AsDouble(quote) > limit) {
            Py_INCREF(quote);
            PyList_SET_ITEM(picked, place++, quote);
        }
    }
    return picked;
}

static PyMethodDef methods[] = {
    {"above", above, METH_VARARGS, NULL},
    {NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "quotes", NULL, -1, methods};

PyMODINIT_FUNC PyInit_quotes(void)
{
    return PyModule_Create(&module);
}
