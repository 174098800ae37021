// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A store is a dict of lists. */

static PyObject *create(PyObject *self, PyObject *unused) { return PyDict_New(); }

static PyObject *find(PyObject *store, PyObject *name)
{
    PyObject *column = PyDict_GetItemWithError(store, name);
    if (column == NULL && !PyErr_Occurred())
        PyErr_SetObject(PyExc_KeyError, name);
    return column;
}

static PyObject *append(PyObject *self, PyObject *args)
{
    PyObject *store, *name, *reading;
    if (!PyArg_ParseTuple(args, "O!UO", &PyDict_Type, &store, &name, &reading))
        return NULL;
    PyObject *column = PyDict_GetItemWithError(store, name);
    if (column == NULL) {
        column = PyList_New(0);
        if (column == NULL || PyDict_SetItem(store, name, column) < 0)
            return NULL;
        Py_DECREF(column);
    }
    if (PyList_Append(column, reading) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *column(PyObject *self, PyObject *args)
{
    PyObject *store, *name;
    if (!PyArg_ParseTuple(args, "O!U", &PyDict_Type, &store, &name))
        return NULL;
    PyObject *found = find(store, name);
    Py_XINCREF(found);
    return found;
}

static PyObject *newest(PyObject *self, PyObject *args)
{
    PyObject *store, *name;
    if (!PyArg_ParseTuple(args, "O!U", &PyDict_Type, &store, &name))
        return NULL;
    PyObject *found = find(store, name);
    if (found == NULL)
        return NULL;
    return PyList_GetItem(found, PyList_GET_SIZE(found) - 1);
}

static PyMethodDef methods[] = {
    {"create", create, METH_NOARGS, NULL},
    {"append", append, METH_VARARGS, NULL},
    {"column", column, METH_VARARGS, NULL},
    {"newest", newest, METH_VARARGS, NULL},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "column_store", NULL, -1, methods};

PyMODINIT_FUNC PyInit_column_store(void) { return PyModule_Create(&module); }
