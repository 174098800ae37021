/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

static int stable;
static long grams = 412;

static PyObject *report(PyObject *self, PyObject *args)
{
    if (!PyArg_ParseTuple(args, "i", &stable))
        return NULL;
    Py_RETURN_NONE;
}

/* The weight, once the scale is at rest. */
static PyObject *hold(PyObject *self, PyObject *unused)
{
    while (!stable)
        ;
    return PyLong_FromLong(grams);
}

static PyMethodDef methods[] = {{"report", report, METH_VARARGS, NULL},
                                {"hold", hold, METH_NOARGS, NULL},
                                {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "scaledrv", NULL, -1, methods};
PyMODINIT_FUNC PyInit_scaledrv(void) { return PyModule_Create(&module); }
