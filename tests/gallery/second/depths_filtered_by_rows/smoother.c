// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>

static int smooth_row(double *row, Py_ssize_t width, double *roughness)
{
    for (Py_ssize_t x = 1; x + 1 < width; x++) {
        double mean = (row[x - 1] + row[x] + row[x + 1]) / 3;
        if (isnan(mean)) {
            PyErr_Format(PyExc_ValueError, "no depth in column %zd", x);
            return -1;
        }
        *roughness += fabs(row[x] - mean);
        row[x] = mean;
    }
    return 0;
}

static PyObject *smooth(PyObject *module, PyObject *args)
{
    Py_buffer depths;
    Py_ssize_t width;
    if (!PyArg_ParseTuple(args, "w*n", &depths, &width))
        return NULL;
    Py_ssize_t rows = depths.len / (Py_ssize_t)sizeof(double) / width;
    double roughness = 0.0;
    int status = 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t y = 0; y < rows && status == 0; y++)
        status = smooth_row((double *)depths.buf + y * width, width, &roughness);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&depths);
    return status < 0 ? NULL : PyFloat_FromDouble(roughness);
}

static PyMethodDef functions[] = {{"smooth", smooth, METH_VARARGS, NULL}, {NULL}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "smoother", NULL, -1, functions};

PyMODINIT_FUNC PyInit_smoother(void)
{
    return PyModule_Create(&module);
}
