// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>

/* The mean direction of bearings in degrees; the loop runs without the GIL. */
static double circular_mean(const double *bearings, Py_ssize_t number)
{
    double east = 0, north = 0;
    for (Py_ssize_t n = 0; n < number; n++) {
        east += sin(bearings[n] * M_PI / 180);
        north += cos(bearings[n] * M_PI / 180);
    }
    if (hypot(east, north) < 1e-9 * number) {
        PyErr_Format(PyExc_ValueError, "%zd bearings point nowhere", number);
        return -1;
    }
    double mean = atan2(east, north) * 180 / M_PI;
    return mean < 0 ? mean + 360 : mean;
}

static PyObject *bearing_mean(PyObject *self, PyObject *argument)
{
    Py_buffer view;
    if (PyObject_GetBuffer(argument, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    double mean;
    Py_BEGIN_ALLOW_THREADS
    mean = circular_mean(view.buf, view.len / sizeof(double));
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    if (mean < 0)
        return NULL;
    return PyFloat_FromDouble(mean);
}

static PyMethodDef methods[] = {{"mean", bearing_mean, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "bearing", NULL, -1, methods};
PyMODINIT_FUNC PyInit_bearing(void) { return PyModule_Create(&module); }
