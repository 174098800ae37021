// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

static uint32_t adler(const unsigned char *data, Py_ssize_t size)
{
    uint32_t low = 1, high = 0;
    for (Py_ssize_t at = 0; at < size; at++) {
        low = (low + data[at]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

static PyObject *verify(PyObject *module, PyObject *args)
{
    Py_buffer block;
    unsigned int wanted;
    int good = 1;
    if (!PyArg_ParseTuple(args, "y*I", &block, &wanted))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (adler(block.buf, block.len) != wanted) {
        PyErr_Format(PyExc_ValueError, "block does not match %u", wanted);
        good = 0;
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&block);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"verify", verify, METH_VARARGS, "Raise ValueError unless a block has its checksum."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "tape_verifier", NULL, -1, methods,
};

PyMODINIT_FUNC PyInit_tape_verifier(void)
{
    return PyModule_Create(&definition);
}
