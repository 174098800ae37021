// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define ROOM 16
static struct { PyObject *currency; double rate; } rates[ROOM];

static PyObject *define(PyObject *self, PyObject *args)
{
    int at;
    PyObject *currency;
    double rate;
    if (!PyArg_ParseTuple(args, "iOd", &at, &currency, &rate)) return NULL;
    Py_INCREF(currency);
    rates[at % ROOM].currency = currency;
    rates[at % ROOM].rate = rate;
    Py_RETURN_NONE;
}

static PyObject *quote(PyObject *self, PyObject *args)
{
    int at;
    if (!PyArg_ParseTuple(args, "i", &at)) return NULL;
    if (!rates[at % ROOM].currency) Py_RETURN_NONE;
    return Py_BuildValue("{s:N,s:d}", "currency", rates[at % ROOM].currency,
                         "rate", rates[at % ROOM].rate);
}

static PyMethodDef methods[] = {
    {"define", define, METH_VARARGS, ""}, {"quote", quote, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rate_table", "", -1, methods};
PyMODINIT_FUNC PyInit_rate_table(void) { return PyModule_Create(&module); }
