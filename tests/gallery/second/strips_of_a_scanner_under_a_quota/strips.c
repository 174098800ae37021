// SPDX-License-Identifier: Apache-2.0
// Strips of a scanner are unpacked (runs of bytes) and kept as bytes objects.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static PyObject *
unpack(PyObject *module, PyObject *args)
{
    Py_buffer packed;
    Py_ssize_t width, lines;

    if (!PyArg_ParseTuple(args, "y*nn:unpack", &packed, &width, &lines))
        return NULL;
    PyObject *strip = PyBytes_FromStringAndSize(NULL, width * lines);
    char *to = PyBytes_AS_STRING(strip), *end = to + width * lines;
    const unsigned char *from = packed.buf;
    for (Py_ssize_t i = 0; i + 1 < packed.len && to < end; i += 2) {
        Py_ssize_t run = from[i] + 1;
        if (run > end - to)
            run = end - to;
        memset(to, from[i + 1], run);
        to += run;
    }
    memset(to, 0xff, end - to);
    PyBuffer_Release(&packed);
    return strip;
}

static PyMethodDef methods[] = {
    {"unpack", unpack, METH_VARARGS, "Unpack a strip of so many lines."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "strips", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_strips(void)
{
    return PyModule_Create(&definition);
}
