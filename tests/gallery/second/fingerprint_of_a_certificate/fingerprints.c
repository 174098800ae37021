// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
static const char digits[] = "0123456789ABCDEF";
/* text(digest) -> the digest as people compare it, "A0:17:.." */
static PyObject *text(PyObject *self, PyObject *args)
{
    const unsigned char *digest;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &digest, &size))
        return NULL;
    PyObject *result = PyBytes_FromStringAndSize(NULL, size * 2);
    if (result == NULL)
        return NULL;
    char *out = PyBytes_AS_STRING(result);
    for (Py_ssize_t i = 0; i < size; i++) {
        *out++ = digits[digest[i] >> 4];
        *out++ = digits[digest[i] & 15];
        if (i + 1 < size)
            *out++ = ':';
    }
    return result;
}
static PyMethodDef methods[] = {{"text", text, METH_VARARGS, ""}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fingerprints", "", -1, methods};
PyMODINIT_FUNC PyInit_fingerprints(void) { return PyModule_Create(&module); }
