// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdio.h>
typedef struct Counter { struct Counter *next; char *name; long count; } Counter;
static Counter *first;
static void flush_counters(void)
{
    for (Counter *each = first; each; each = each->next)
        dprintf(2, "%s=%ld\n", each->name, each->count);
}
static void module_free(void *module)
{
    for (Counter *each = first, *next; each; each = next) {
        next = each->next;
        free(each->name);
        free(each);
    }
}
static PyObject *counters_count(PyObject *self, PyObject *args)
{
    const char *kind;
    long size;
    if (!PyArg_ParseTuple(args, "sl", &kind, &size))
        return NULL;
    Counter *each;
    for (each = first; each; each = each->next)
        if (!strcmp(each->name, kind))
            break;
    if (each == NULL) {
        each = calloc(1, sizeof *each);
        each->name = strdup(kind);
        each->next = first;
        first = each;
    }
    each->count += size;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"count", counters_count, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "counters", "", 0, methods, 0, 0, 0, module_free};
PyMODINIT_FUNC PyInit_counters(void)
{
    atexit(flush_counters);
    return PyModule_Create(&module);
}
