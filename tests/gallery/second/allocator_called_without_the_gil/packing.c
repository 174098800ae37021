// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *pack_block(PyObject *self, PyObject *args)
{
    Py_buffer view;
    Py_ssize_t packed = 0;
    if (!PyArg_ParseTuple(args, "y*", &view)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    unsigned char *work = PyMem_Malloc(view.len + 1), last = 0;
    for (Py_ssize_t n = 0; n < view.len; n++) {
        const unsigned char byte = ((unsigned char *)view.buf)[n];
        if (byte != last) work[packed++] = last = byte;
    }
    PyMem_Free(work);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return PyLong_FromSsize_t(packed);
}

static PyMethodDef methods[] = {{"pack_block", pack_block, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "packing", "", -1, methods};
PyMODINIT_FUNC PyInit_packing(void) { return PyModule_Create(&module); }
