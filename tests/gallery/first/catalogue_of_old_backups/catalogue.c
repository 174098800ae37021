// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static unsigned long hash_name(const char *name)
{
    unsigned long hash = 14695981039346656037UL;
    while (*name)
        hash = (hash ^ (unsigned char)*name++) * 1099511628211UL;
    return hash;
}

static PyObject *key(PyObject *self, PyObject *name)
{
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "a name is text");
        return NULL;
    }
    return PyLong_FromUnsignedLong(hash_name(PyUnicode_AsUTF8(name)));
}

static PyMethodDef methods[] = {{"key", key, METH_O, "The key of a name."}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "catalogue", NULL, -1, methods};
PyMODINIT_FUNC PyInit_catalogue(void) { return PyModule_Create(&definition); }
