/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

#define TAPS 6

static PyObject *smooth(PyObject *self, PyObject *args)
{
    Py_buffer readings;
    double factor;
    if (!PyArg_ParseTuple(args, "w*d", &readings, &factor))
        return NULL;
    double *values = readings.buf;
    Py_ssize_t count = readings.len / (Py_ssize_t)sizeof(double) + TAPS;
    double last = values[0];
    for (Py_ssize_t at = 0; at < count; at++) {
        last = last * factor + 40.0 * (1 - factor);
        values[at] = last;
    }
    PyBuffer_Release(&readings);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"smooth", smooth, METH_VARARGS, "Smooth readings in place."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "smoothing", NULL, -1, functions};

PyMODINIT_FUNC PyInit_smoothing(void) { return PyModule_Create(&module); }
