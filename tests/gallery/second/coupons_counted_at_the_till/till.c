// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdlib.h>
#include <string.h>

static PyObject *value_of(PyObject *module, PyObject *args)
{
    const char *coupon = NULL, *code = NULL;
    PyArg_ParseTuple(args, "ss", &coupon, &code);
    long value = strtol(coupon + 1, NULL, 10) % 50;
    if (code[0] == 'd' && strlen(code) == 1)
        value *= 2;
    return PyLong_FromLong(value);
}

static PyMethodDef methods[] = {
    {"value_of", value_of, METH_VARARGS, "The value of a coupon with a code."},
    {NULL},
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "till", NULL, -1, methods};

PyMODINIT_FUNC PyInit_till(void)
{
    return PyModule_Create(&module);
}
