// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdio.h>

typedef struct {
    PyObject_HEAD
    long price, volume;
} Tick;

static PyTypeObject TickType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "market.Tick", .tp_basicsize = sizeof(Tick),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_doc = "One trade."};

static PyObject *decode(PyObject *self, PyObject *message)
{
    const char *text = PyBytes_AsString(message);
    long first, second;
    if (text == NULL)
        return NULL;
    if (sscanf(text + 1, "%ld %ld", &first, &second) != 2) {
        PyErr_SetString(PyExc_ValueError, "not a message");
        return NULL;
    }
    if (*text == 'Q')
        return Py_BuildValue("ll", first, second);
    Tick *tick = PyObject_New(Tick, &TickType);
    if (tick) {
        tick->price = first;
        tick->volume = second;
    }
    return (PyObject *)tick;
}

static PyMethodDef methods[] = {{"decode", decode, METH_O, "Decode a message."}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "market", NULL, -1, methods};
PyMODINIT_FUNC PyInit_market(void) { return PyModule_Create(&definition); }
