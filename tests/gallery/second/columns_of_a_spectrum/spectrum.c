// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

static PyObject *column_sums(PyObject *self, PyObject *scan)
{
    Py_buffer view;
    if (PyObject_GetBuffer(scan, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    const float *values = view.buf;
    Py_ssize_t rows = view.shape[0], columns = view.shape[1];
    PyObject *sums = PyList_New(columns);
    for (Py_ssize_t column = 0; column < columns; column++) {
        double sum = 0;
        for (Py_ssize_t row = 0; row < rows; row++)
            sum += values[row * columns + column];
        PyList_SET_ITEM(sums, column, PyFloat_FromDouble(sum));
    }
    PyBuffer_Release(&view);
    return sums;
}

static PyMethodDef methods[] = {{"column_sums", column_sums, METH_O, "Sums by column."}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "spectrum", "", -1, methods};
PyMODINIT_FUNC PyInit_spectrum(void) { return PyModule_Create(&module); }
