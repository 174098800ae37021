// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

/* from metering.h, version 1 */
struct meter {
    long serial;
    double volume;
    double history[12];
    char unit[8];
};

extern void meter_init(struct meter *meter, long serial);
extern double meter_volume(const struct meter *meter);

static PyObject *gauges_open(PyObject *module, PyObject *serial)
{
    struct meter *meter = malloc(sizeof *meter);
    if (meter == NULL)
        return PyErr_NoMemory();
    meter_init(meter, PyLong_AsLong(serial));
    return PyLong_FromVoidPtr(meter);
}

static PyObject *gauges_read(PyObject *module, PyObject *handle)
{
    return PyFloat_FromDouble(meter_volume(PyLong_AsVoidPtr(handle)));
}

static PyObject *gauges_close(PyObject *module, PyObject *handle)
{
    free(PyLong_AsVoidPtr(handle));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"open", gauges_open, METH_O, NULL},
    {"read", gauges_read, METH_O, NULL},
    {"close", gauges_close, METH_O, NULL},
    {NULL},
};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "gauges", NULL, -1, functions};

PyMODINIT_FUNC PyInit_gauges(void)
{
    return PyModule_Create(&module);
}
