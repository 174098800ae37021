// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
typedef struct {
    long hits, bytes;
    double weight;
    unsigned long stamp;
    double age, cost;
} page;
static PyObject *load(PyObject *self, PyObject *name)
{
    page *entry = PyMem_Calloc(1, sizeof(page));
    entry->bytes = 4000 + PyUnicode_GET_LENGTH(name);
    return PyLong_FromVoidPtr(entry);
}
static PyObject *hit(PyObject *self, PyObject *handle)
{
    page *entry = PyLong_AsVoidPtr(handle);
    entry->hits++;
    entry->weight = entry->weight * 0.5 + 1.25;
    entry->stamp = 0x5bd1e995ul * (unsigned long)entry->hits;
    entry->age = 17.5;
    Py_RETURN_NONE;
}
static PyObject *evict(PyObject *self, PyObject *handle)
{
    PyMem_Free(PyLong_AsVoidPtr(handle));
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"load", load, METH_O, ""}, {"hit", hit, METH_O, ""}, {"evict", evict, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pages", "", -1, methods};
PyMODINIT_FUNC PyInit_pages(void) { return PyModule_Create(&module); }
