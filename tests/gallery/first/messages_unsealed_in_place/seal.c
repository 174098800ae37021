// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *seal_apply(PyObject *self, PyObject *args)
{
    Py_buffer body;
    Py_ssize_t length;
    unsigned long key;
    if (!PyArg_ParseTuple(args, "w*nk", &body, &length, &key))
        return NULL;
    unsigned char *bytes = body.buf;
    for (Py_ssize_t n = 0; n < length; n++) {
        key = key * 6364136223846793005UL + 1442695040888963407UL;
        bytes[n] ^= (unsigned char)(key >> 33);
    }
    PyBuffer_Release(&body);
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"apply", seal_apply, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "seal", "", -1, methods};
PyMODINIT_FUNC PyInit_seal(void) { return PyModule_Create(&module); }
