// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *TariffError;

static PyObject *price(PyObject *self, PyObject *args)
{
    long units;
    if (!PyArg_ParseTuple(args, "l", &units))
        return NULL;
    if (units < 0) {
        PyErr_Format(TariffError, "no tariff for %ld units", units);
        return NULL;
    }
    return PyLong_FromLong(units * 3);
}

static PyMethodDef methods[] = {
    {"price", price, METH_VARARGS, "The price of some units."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tariffs", NULL, 0, methods};

PyMODINIT_FUNC PyInit_tariffs(void)
{
    PyObject *m = PyModule_Create(&module);
    if (m == NULL)
        return NULL;
    TariffError = PyErr_NewException("tariffs.TariffError", PyExc_ValueError, NULL);
    if (TariffError == NULL || PyModule_AddObject(m, "TariffError", TariffError) < 0) {
        Py_XDECREF(TariffError);
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
