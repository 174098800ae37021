// SPDX-License-Identifier: Apache-2.0
// Checks the blocks of an archive; many threads may check at once.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

static PyObject *BlockError;

static uint32_t
adler(const unsigned char *data, Py_ssize_t length)
{
    uint32_t a = 1, b = 0;
    while (length > 0) {
        Py_ssize_t part = length < 5552 ? length : 5552;
        length -= part;
        while (part--) {
            a += *data++;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

static PyObject *
checksum(PyObject *module, PyObject *args)
{
    Py_buffer block;
    uint32_t sum;
    if (!PyArg_ParseTuple(args, "y*:checksum", &block))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    sum = adler(block.buf, block.len);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&block);
    return PyLong_FromUnsignedLong(sum);
}

static PyObject *
verify(PyObject *module, PyObject *args)
{
    Py_buffer block;
    unsigned int number, expected;
    int passes, good = 1;

    if (!PyArg_ParseTuple(args, "y*IIi:verify", &block, &number, &expected, &passes))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (int pass = 0; pass < passes && good; pass++) {
        uint32_t sum = adler(block.buf, block.len);
        if (sum != expected) {
            PyErr_Format(BlockError, "block %u: %u instead of %u", number, sum, expected);
            good = 0;
        }
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&block);
    return good ? PyLong_FromUnsignedLong(number) : NULL;
}

static PyMethodDef methods[] = {
    {"checksum", checksum, METH_VARARGS, "The sum of a block."},
    {"verify", verify, METH_VARARGS, "Check a block against its sum."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "blockcheck", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_blockcheck(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    BlockError = PyErr_NewException("blockcheck.BlockError", PyExc_ValueError, NULL);
    Py_XINCREF(BlockError);
    PyModule_AddObject(module, "BlockError", BlockError);
    return module;
}
