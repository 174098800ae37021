// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <string.h>
static int has_suffix(const char *name, const char *suffix)
{
    size_t have = strlen(name), want = strlen(suffix);
    return have >= want && strcmp(name + have - want, suffix) == 0;
}
static PyObject *count_suffix(PyObject *self, PyObject *args)
{
    PyObject *list;
    const char *suffix;
    if (!PyArg_ParseTuple(args, "O!s", &PyList_Type, &list, &suffix))
        return NULL;
    long count = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++)
        count += has_suffix(PyUnicode_AsUTF8(PyList_GET_ITEM(list, i)), suffix);
    return PyLong_FromLong(count);
}
static PyMethodDef methods[] = {{"count_suffix", count_suffix, METH_VARARGS, ""}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "names", "", -1, methods};
PyMODINIT_FUNC PyInit_names(void) { return PyModule_Create(&module); }
