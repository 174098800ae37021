// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

static void smooth(double *out, const double *in, Py_ssize_t count, int width)
{
    for (Py_ssize_t at = 0; at < count; at++) {
        double sum = 0;
        for (int of = 0; of < width; of++)
            sum += in[(at + of) % count];
        out[at] = sum / width;
    }
}

static PyObject *smoothed_peak(PyObject *module, PyObject *args)
{
    Py_buffer raw;
    int width;
    if (!PyArg_ParseTuple(args, "y*i", &raw, &width))
        return NULL;
    Py_ssize_t count = raw.len / sizeof(double);
    double peak = 0;
    Py_BEGIN_ALLOW_THREADS
    double *out = malloc(count * sizeof(double));
    smooth(out, raw.buf, count, width);
    for (Py_ssize_t at = 0; at < count; at++)
        if (out[at] > peak)
            peak = out[at];
    free(out);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&raw);
    return PyFloat_FromDouble(peak);
}

static PyMethodDef methods[] = {
    {"smoothed_peak", smoothed_peak, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "spectra", NULL, -1, methods};

PyMODINIT_FUNC PyInit_spectra(void)
{
    return PyModule_Create(&module);
}
