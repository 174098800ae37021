/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

/* The highest reading of the twelve hours from a place on; from the beginning without one. */
static PyObject *peak(PyObject *self, PyObject *args)
{
    Py_buffer view;
    Py_ssize_t from = -1, best;
    if (!PyArg_ParseTuple(args, "y*|i", &view, &from))
        return NULL;
    if (from == -1)
        from = 0;
    const short *level = view.buf;
    Py_ssize_t count = view.len / sizeof *level, end = from + 48;
    if (end > count)
        end = count;
    best = from;
    for (Py_ssize_t at = from; at < end; at++)
        if (level[at] > level[best])
            best = at;
    PyBuffer_Release(&view);
    return PyLong_FromSsize_t(best);
}

static PyMethodDef methods[] = {{"peak", peak, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tides", NULL, -1, methods};
PyMODINIT_FUNC PyInit_tides(void) { return PyModule_Create(&module); }
