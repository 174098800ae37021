// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <Python.h>
#include <ctype.h>
#include <string.h>
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t size = strlen(text);
    while (size && isspace((unsigned char)text[size - 1]))
        text[--size] = 0;
    return text;
}
static PyObject *tidy(PyObject *self, PyObject *args)
{
    const char *line;
    if (!PyArg_ParseTuple(args, "s", &line))
        return NULL;
    char *copy = strdup(line);
    if (copy == NULL)
        return PyErr_NoMemory();
    copy = trim(copy);
    for (char *at = copy; *at; at++)
        if (*at == '\t')
            *at = ' ';
    PyObject *result = PyUnicode_FromString(copy);
    free(copy);
    return result;
}
static PyMethodDef methods[] = {{"tidy", tidy, METH_VARARGS, ""}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "addresses", "", -1, methods};
PyMODINIT_FUNC PyInit_addresses(void) { return PyModule_Create(&module); }
