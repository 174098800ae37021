// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#define HEADER 24

/* The header of a letter: magic, number, stamp, checksum of the rest. */
static uint32_t checksum(const uint8_t *data, Py_ssize_t size)
{
    uint32_t sum = 5381;
    for (Py_ssize_t n = 0; n < size; n++)
        sum = sum * 33 + data[n];
    return sum;
}

static PyObject *restamp(PyObject *self, PyObject *args)
{
    Py_buffer view;
    unsigned long long stamp;
    uint32_t sum;

    if (!PyArg_ParseTuple(args, "y*K", &view, &stamp))
        return NULL;
    if (view.len < HEADER) {
        PyBuffer_Release(&view);
        PyErr_SetString(PyExc_ValueError, "no letter");
        return NULL;
    }
    uint8_t *data = view.buf;
    sum = checksum(data + HEADER, view.len - HEADER);
    memcpy(data + 8, &stamp, sizeof stamp);
    memcpy(data + 16, &sum, sizeof sum);
    PyBuffer_Release(&view);
    return PyLong_FromUnsignedLong(sum);
}

static PyMethodDef methods[] = {
    {"restamp", restamp, METH_VARARGS, "Write a new stamp and checksum into a letter's header."},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "envelope", NULL, -1, methods};

PyMODINIT_FUNC PyInit_envelope(void)
{
    return PyModule_Create(&module);
}
