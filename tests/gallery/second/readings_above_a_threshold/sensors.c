// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>
/* above(packed doubles, threshold) -> list of the readings above the threshold */
static PyObject *above(PyObject *self, PyObject *args)
{
    const char *data;
    Py_ssize_t size;
    double threshold;
    if (!PyArg_ParseTuple(args, "y#d", &data, &size, &threshold))
        return NULL;
    Py_ssize_t count = size / sizeof(double);
    PyObject *readings = PyList_New(count);
    if (readings == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, data + i * sizeof(double), sizeof value);
        if (value <= threshold)
            continue;
        PyObject *reading = PyFloat_FromDouble(value);
        if (reading == NULL) {
            Py_DECREF(readings);
            return NULL;
        }
        PyList_SET_ITEM(readings, i, reading);
    }
    return readings;
}
static PyMethodDef methods[] = {{"above", above, METH_VARARGS, ""}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "sensors", "", -1, methods};
PyMODINIT_FUNC PyInit_sensors(void) { return PyModule_Create(&module); }
