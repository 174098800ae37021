/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

static long failures;

static void count_failure(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    failures++;
    PyErr_Restore(type, value, trace);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

static PyObject *parse(PyObject *self, PyObject *args)
{
    PyObject *convert, *row;
    if (!PyArg_ParseTuple(args, "OO", &convert, &row))
        return NULL;
    PyObject *value = PyObject_CallFunctionObjArgs(convert, row, NULL);
    if (!value)
        count_failure();
    return value;
}

static PyMethodDef methods[] = {{"parse", parse, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rowparser", NULL, -1, methods};
PyMODINIT_FUNC PyInit_rowparser(void) { return PyModule_Create(&module); }
