// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

typedef struct {
    char name[16];
    unsigned long visits;
    unsigned long last_seen;
    double bill;
    unsigned long band[2];
} card;

static unsigned long clock_now = 1732752000123456UL;

static PyObject *enter(PyObject *self, PyObject *name)
{
    card *one = PyMem_Calloc(1, sizeof *one);
    if (one == NULL)
        return PyErr_NoMemory();
    strncpy(one->name, PyUnicode_AsUTF8(name), sizeof one->name - 1);
    return PyLong_FromVoidPtr(one);
}

static PyObject *seen(PyObject *self, PyObject *number)
{
    card *one = PyLong_AsVoidPtr(number);
    one->visits++;
    one->last_seen = clock_now += 977;
    Py_RETURN_NONE;
}

static PyObject *leave(PyObject *self, PyObject *number)
{
    PyMem_Free(PyLong_AsVoidPtr(number));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"enter", enter, METH_O, "A guest comes."},
                                {"seen", seen, METH_O, "A guest is seen."},
                                {"leave", leave, METH_O, "A guest goes."},
                                {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "gate", NULL, -1, methods};
PyMODINIT_FUNC PyInit_gate(void) { return PyModule_Create(&definition); }
