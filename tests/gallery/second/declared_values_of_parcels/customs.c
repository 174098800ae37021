/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

static int add_value(PyObject *value, double *total)
{
    PyObject *number = Py_TYPE(value)->tp_as_number->nb_float(value);
    if (number == NULL)
        return -1;
    *total += PyFloat_AS_DOUBLE(number);
    Py_DECREF(number);
    return 0;
}

static PyObject *total(PyObject *self, PyObject *values)
{
    double sum = 0;
    if (!PyList_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "a list of values is expected");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); i++)
        if (add_value(PyList_GET_ITEM(values, i), &sum) < 0)
            return NULL;
    return PyFloat_FromDouble(sum);
}

static PyMethodDef methods[] = {{"total", total, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "customs", NULL, -1, methods};
PyMODINIT_FUNC PyInit_customs(void) { return PyModule_Create(&module); }
