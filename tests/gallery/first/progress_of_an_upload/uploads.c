// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *uploads_send(PyObject *self, PyObject *args)
{
    Py_buffer payload;
    Py_ssize_t part, at;
    PyObject *progress;
    unsigned sum = 1;
    if (!PyArg_ParseTuple(args, "y*nO", &payload, &part, &progress))
        return NULL;
    const unsigned char *bytes = payload.buf;
    Py_BEGIN_ALLOW_THREADS
    for (at = 0; at < payload.len; at++) {
        sum = sum * 16777619u ^ bytes[at];
        if (at % part == part - 1) {
            PyObject *told = PyObject_CallFunction(progress, "n", at + 1);
            Py_XDECREF(told);
        }
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&payload);
    return PyLong_FromUnsignedLong(sum);
}
static PyMethodDef methods[] = {{"send", uploads_send, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "uploads", "", -1, methods};
PyMODINIT_FUNC PyInit_uploads(void) { return PyModule_Create(&module); }
