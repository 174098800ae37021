// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdio.h>
static PyObject *receipts_greeting(PyObject *self, PyObject *args)
{
    const char *text, *customer;
    char line[120];
    int width = 40;
    if (!PyArg_ParseTuple(args, "ss", &text, &customer))
        return NULL;
    snprintf(line, sizeof line, text, customer, &width);
    return PyUnicode_FromStringAndSize(line, strnlen(line, width));
}
static PyMethodDef methods[] = {{"greeting", receipts_greeting, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "receipts", "", -1, methods};
PyMODINIT_FUNC PyInit_receipts(void) { return PyModule_Create(&module); }
