// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* The line before, as it was given. */
static const unsigned char *previous;
static Py_ssize_t previous_size;

static Py_ssize_t count_changes(const unsigned char *line, Py_ssize_t size)
{
    Py_ssize_t changes = 0;
    for (Py_ssize_t i = 0; i < size && i < previous_size; i++) {
        changes += line[i] != previous[i];
    }
    return changes;
}

static PyObject *compare(PyObject *self, PyObject *args)
{
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "y*", &view)) {
        return NULL;
    }
    Py_ssize_t changes = previous ? count_changes(view.buf, view.len) : -1;
    previous = view.buf;
    previous_size = view.len;
    PyBuffer_Release(&view);
    return PyLong_FromSsize_t(changes);
}

static PyMethodDef methods[] = {
    {"compare", compare, METH_VARARGS, NULL},
    {NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "scanline", NULL, -1, methods};

PyMODINIT_FUNC PyInit_scanline(void)
{
    return PyModule_Create(&module);
}
