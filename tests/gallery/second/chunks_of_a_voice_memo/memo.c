// SPDX-License-Identifier: Apache-2.0
// Reads the chunks of a voice memo: four letters, a length, and so many bytes.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

static uint32_t length_at(const unsigned char *at)
{
    return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

static PyObject *memo_find(PyObject *self, PyObject *args)
{
    Py_buffer memo;
    const char *wanted;
    if (!PyArg_ParseTuple(args, "y*s", &memo, &wanted))
        return NULL;
    const unsigned char *bytes = memo.buf;
    uint32_t end = (uint32_t)memo.len, at = 0;
    long found = -1;
    while (end >= 8 && at <= end - 8) {
        if (memcmp(bytes + at, wanted, 4) == 0) {
            found = (long)at + 8;
            break;
        }
        at += 8 + length_at(bytes + at + 4);
    }
    PyBuffer_Release(&memo);
    return PyLong_FromLong(found);
}

static PyMethodDef methods[] = {
    {"find", memo_find, METH_VARARGS, "Return where the contents of a chunk begin, or -1."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "memo", NULL, -1, methods};

PyMODINIT_FUNC PyInit_memo(void)
{
    return PyModule_Create(&module);
}
