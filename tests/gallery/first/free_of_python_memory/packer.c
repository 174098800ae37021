// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
static PyObject *pack(PyObject *self, PyObject *data)
{
    Py_ssize_t size = PyBytes_GET_SIZE(data);
    char *work = PyMem_Malloc(size);
    memcpy(work, PyBytes_AS_STRING(data), size);
    PyObject *result = PyBytes_FromStringAndSize(work, size / 2);
    free(work);
    return result;
}
static PyMethodDef methods[] = {{"pack", pack, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "packer", "", -1, methods};
PyMODINIT_FUNC PyInit_packer(void) { return PyModule_Create(&module); }
