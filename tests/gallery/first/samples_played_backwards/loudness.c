// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *loudness_peak(PyObject *self, PyObject *samples)
{
    Py_buffer view;
    if (PyObject_GetBuffer(samples, &view, PyBUF_FULL_RO) < 0)
        return NULL;
    const unsigned char *at = view.buf;
    unsigned char peak = 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t n = 0; n < view.len; n++)
        if (at[n] > peak)
            peak = at[n];
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return PyLong_FromLong(peak);
}
static PyMethodDef methods[] = {{"peak", loudness_peak, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "loudness", "", -1, methods};
PyMODINIT_FUNC PyInit_loudness(void) { return PyModule_Create(&module); }
