// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static PyObject *
unpack_row(PyObject *module, PyObject *args)
{
    const unsigned char *packed;
    Py_ssize_t size, width, at = 0, used = 0;
    PyObject *row;

    if (!PyArg_ParseTuple(args, "y#n", (const char **)&packed, &size, &width))
        return NULL;
    row = PyBytes_FromStringAndSize(NULL, width);
    if (row == NULL)
        return NULL;
    unsigned char *out = (unsigned char *)PyBytes_AS_STRING(row);
    while (at + 1 < size) {
        int head = packed[at++];
        if (head > 128) {
            memset(out + used, packed[at++], 257 - head);
            used += 257 - head;
        }
        else if (head < 128) {
            memcpy(out + used, packed + at, head + 1);
            used += head + 1;
            at += head + 1;
        }
    }
    return row;
}

static PyMethodDef methods[] = {
    {"unpack_row", unpack_row, METH_VARARGS, "Unpacks a row of PackBits."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "fax_codec", NULL, -1, methods,
};

PyMODINIT_FUNC
PyInit_fax_codec(void)
{
    return PyModule_Create(&definition);
}
