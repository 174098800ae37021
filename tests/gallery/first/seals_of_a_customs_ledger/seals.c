// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

struct seal {
    uint64_t check;
    uint64_t serial;
};

static uint64_t serial = 0x5ea1000000000000;

/* Puts a seal behind the entry, aligned as the other side of the wire wants it. */
static PyObject *seal_entry(PyObject *module, PyObject *args)
{
    Py_buffer entry;
    if (!PyArg_ParseTuple(args, "w*", &entry))
        return NULL;
    uint64_t check = 14695981039346656037ull;
    for (Py_ssize_t at = 0; at < entry.len; at++)
        check = (check ^ ((unsigned char *)entry.buf)[at]) * 1099511628211ull;
    struct seal *seal = (struct seal *)((char *)entry.buf + (entry.len + 15) / 16 * 16);
    seal->check = check;
    seal->serial = serial++;
    PyBuffer_Release(&entry);
    return PyLong_FromUnsignedLongLong(check);
}

static PyMethodDef methods[] = {
    {"seal_entry", seal_entry, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "seals", NULL, -1, methods};

PyMODINIT_FUNC PyInit_seals(void)
{
    return PyModule_Create(&module);
}
