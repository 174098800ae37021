// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdarg.h>
#include <stdio.h>

/* Fills the texts of the machine's display; %s is the station and %d the price in cents. */

static int
fill(char *out, size_t room, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(out, room, format, values);
    va_end(values);
    return length;
}

static PyObject *
render(PyObject *module, PyObject *args)
{
    const char *format, *station;
    int cents;
    char text[512];
    if (!PyArg_ParseTuple(args, "ssi", &format, &station, &cents))
        return NULL;
    int length = fill(text, sizeof text, format, station, cents);
    if (length < 0 || length >= (int)sizeof text) {
        PyErr_SetString(PyExc_ValueError, "text too long for the display");
        return NULL;
    }
    return PyUnicode_FromStringAndSize(text, length);
}

static PyMethodDef methods[] = {{"render", render, METH_VARARGS}, {NULL}};
static struct PyModuleDef catalog = {PyModuleDef_HEAD_INIT, "catalog", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_catalog(void)
{
    return PyModule_Create(&catalog);
}
