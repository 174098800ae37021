// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

struct plugin {
    PyMethodDef tool;
    long scale;
    char title[24];
};
static struct plugin *loaded[16];
static char *notes[16];

static PyObject *area(PyObject *self, PyObject *side)
{
    double x = PyFloat_AsDouble(side);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(x * x);
}

static PyObject *host_load(PyObject *self, PyObject *args)
{
    int place;
    const char *title;
    if (!PyArg_ParseTuple(args, "is", &place, &title))
        return NULL;
    struct plugin *it = calloc(1, sizeof *it);
    strncpy(it->title, title, sizeof it->title - 1);
    it->tool.ml_name = it->title;
    it->tool.ml_meth = area;
    it->tool.ml_flags = METH_O;
    loaded[place & 15] = it;
    return PyCFunction_New(&it->tool, NULL);
}

static PyObject *host_unload(PyObject *self, PyObject *args)
{
    int place;
    const char *reason;
    if (!PyArg_ParseTuple(args, "is", &place, &reason))
        return NULL;
    free(loaded[place & 15]);
    loaded[place & 15] = NULL;
    notes[place & 15] = strdup(reason);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"load", host_load, METH_VARARGS, ""}, {"unload", host_unload, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "plugins", NULL, -1, methods};
PyMODINIT_FUNC PyInit_plugins(void) { return PyModule_Create(&module); }
