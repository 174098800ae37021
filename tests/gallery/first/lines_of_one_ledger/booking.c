// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *booking_add(PyObject *self, PyObject *args)
{
    PyObject *ledger, *account;
    long cents;
    if (!PyArg_ParseTuple(args, "O!Ul", &PyList_Type, &ledger, &account, &cents))
        return NULL;
    PyObject *line = Py_BuildValue("(Ol)", account, cents);
    if (line == NULL || PyList_Append(ledger, line) < 0)
        return NULL;
    Py_DECREF(line);
    return PyLong_FromLong(cents);
}
static PyObject *booking_export(PyObject *self, PyObject *args)
{
    PyObject *path = NULL;
    long carried = 0;
    if (!PyArg_ParseTuple(args, "O&|l", &path, &carried))
        return NULL;
    FILE *file = fopen(PyBytes_AS_STRING(path), "w");
    Py_DECREF(path);
    if (file == NULL)
        return PyErr_SetFromErrno(PyExc_OSError);
    fprintf(file, "carried %ld\n", carried);
    fclose(file);
    return PyLong_FromLong(0);
}
static PyMethodDef methods[] = {
    {"add", booking_add, METH_VARARGS, ""}, {"export", booking_export, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "booking", "", -1, methods};
PyMODINIT_FUNC PyInit_booking(void) { return PyModule_Create(&module); }
