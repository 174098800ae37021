// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#define CLASSES 8
typedef long (*round_t)(uint64_t bytes);
static long to_kilobytes(uint64_t bytes) { return (long)((bytes + 512) / 1024); }
struct meter {
    uint64_t bytes[CLASSES];
    round_t rounding;
    char name[16];
};
static struct meter *meter;
/* count(class, bytes): adds up what a packet of a class of service (DSCP >> 3) carries. */
static PyObject *count(PyObject *self, PyObject *args)
{
    int class;
    unsigned long long bytes;
    if (!PyArg_ParseTuple(args, "iK", &class, &bytes))
        return NULL;
    meter->bytes[class] += bytes;
    Py_RETURN_NONE;
}
static PyObject *total(PyObject *self, PyObject *ignored)
{
    long sum = 0;
    for (int class = 0; class < CLASSES; class++)
        sum += meter->rounding(meter->bytes[class]);
    return PyLong_FromLong(sum);
}
static PyMethodDef methods[] = {
    {"count", count, METH_VARARGS, ""},
    {"total", total, METH_NOARGS, ""},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "traffic", "", -1, methods};
PyMODINIT_FUNC PyInit_traffic(void)
{
    meter = calloc(1, sizeof *meter);
    meter->rounding = to_kilobytes;
    return PyModule_Create(&module);
}
