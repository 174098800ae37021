// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Sum the values of a dict of discounts; the listener is called with each name. */
static PyObject *total(PyObject *self, PyObject *args)
{
    PyObject *rules, *listener, *name, *discount;
    Py_ssize_t position = 0;
    double sum = 0;
    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &rules, &listener))
        return NULL;
    while (PyDict_Next(rules, &position, &name, &discount)) {
        PyObject *told = PyObject_CallFunctionObjArgs(listener, name, NULL);
        if (told == NULL)
            return NULL;
        Py_DECREF(told);
        double value = PyFloat_AsDouble(discount);
        if (value == -1.0 && PyErr_Occurred())
            return NULL;
        sum += value;
    }
    return PyFloat_FromDouble(sum);
}

static PyMethodDef methods[] = {
    {"total", total, METH_VARARGS, "Sum the discounts."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "discounts", NULL, -1, methods};

PyMODINIT_FUNC PyInit_discounts(void)
{
    return PyModule_Create(&module);
}
