// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static void ledger_close(PyObject *capsule) { PyMem_Free(PyCapsule_GetPointer(capsule, "ledger")); }
static PyObject *ledger_open(PyObject *self, PyObject *none)
{
    long *sums = PyMem_Calloc(12, sizeof *sums);
    return sums ? PyCapsule_New(sums, "ledger", ledger_close) : PyErr_NoMemory();
}
static PyObject *ledger_book(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    int month;
    long cents;
    if (!PyArg_ParseTuple(args, "Oil", &capsule, &month, &cents))
        return NULL;
    long *sums = PyCapsule_GetPointer(capsule, "ledger");
    if (!sums)
        return NULL;
    if (month < 1 || month > 12) {
        PyErr_SetString(PyExc_ValueError, "no such month");
        return NULL;
    }
    sums[month] += cents;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"open", ledger_open, METH_NOARGS, ""},
                                {"book", ledger_book, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "ledger", "", -1, methods};
PyMODINIT_FUNC PyInit_ledger(void) { return PyModule_Create(&module); }
