/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts scaled to guests: scale(amount, guests, *, step). */
#include <Python.h>
#include <math.h>

static double round_up(double value, double step)
{
    return step > 0 ? ceil(value / step) * step : value;
}

static double keyword_step(PyObject *const *values, PyObject *names)
{
    double step = 0;
    Py_ssize_t i, count = PyTuple_GET_SIZE(names); /* names is NULL without keywords */
    for (i = 0; i < count; i++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "step") == 0)
            step = PyFloat_AsDouble(values[i]);
    return step;
}

static PyObject *scale(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    double amount, guests, step;
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "scale(amount, guests, *, step)");
        return NULL;
    }
    amount = PyFloat_AsDouble(args[0]);
    guests = PyFloat_AsDouble(args[1]);
    step = keyword_step(args + nargs, names);
    if (PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(round_up(amount * guests, step));
}

static PyMethodDef methods[] = {
    {"scale", (PyCFunction)(void (*)(void))scale, METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "scaler", NULL, -1, methods};

PyMODINIT_FUNC PyInit_scaler(void)
{
    return PyModule_Create(&module);
}
