// SPDX-License-Identifier: Apache-2.0
// Smooths the set points of many rooms in place: no float objects are made on the way.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *
approach(PyObject *module, PyObject *args)
{
    PyObject *rooms;
    double target, share;

    if (!PyArg_ParseTuple(args, "O!dd:approach", &PyList_Type, &rooms, &target, &share))
        return NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rooms); i++) {
        PyFloatObject *room = (PyFloatObject *)PyList_GET_ITEM(rooms, i);
        room->ob_fval += share * (target - room->ob_fval);
    }
    Py_RETURN_NONE;
}

static PyObject *
spread(PyObject *module, PyObject *rooms)
{
    double low = 1e9, high = -1e9;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rooms); i++) {
        double value = PyFloat_AsDouble(PyList_GET_ITEM(rooms, i));
        if (value == -1.0 && PyErr_Occurred())
            return NULL;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    return PyFloat_FromDouble(high - low);
}

static PyMethodDef methods[] = {
    {"approach", approach, METH_VARARGS, "Move all set points towards a target."},
    {"spread", spread, METH_O, "Difference of the extremes."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "smoothing", NULL, -1, methods,
};

PyMODINIT_FUNC
PyInit_smoothing(void)
{
    return PyModule_Create(&definition);
}
