// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <string.h>

static const struct { const char *name; long quota; } quotas[] = {
    {"payroll", 500}, {"research", 8000}, {"canteen", 20}, {"workshop", 900},
};

static PyObject *share(PyObject *self, PyObject *args)
{
    const char *name;
    long used;
    if (!PyArg_ParseTuple(args, "sl", &name, &used))
        return NULL;
    for (size_t i = 0; i < sizeof quotas / sizeof *quotas; i++)
        if (strcmp(quotas[i].name, name) == 0)
            return PyFloat_FromDouble((double)used / quotas[i].quota);
    return PyErr_Format(PyExc_LookupError, "no quota for %R, %ld GB used", name, used);
}

static PyMethodDef methods[] = {{"share", share, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "diskpool", "", -1, methods};
PyMODINIT_FUNC PyInit_diskpool(void) { return PyModule_Create(&module); }
