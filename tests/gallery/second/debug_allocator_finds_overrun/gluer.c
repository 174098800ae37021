// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
static PyObject *glue_paths(PyObject *self, PyObject *args)
{
    const char *left, *right;
    Py_ssize_t n, m;
    if (!PyArg_ParseTuple(args, "y#y#", &left, &n, &right, &m)) return NULL;
    char *work = PyMem_Malloc(n + m);
    memcpy(work, left, n);
    work[n] = '/';
    strcpy(work + n + 1, right);
    PyObject *result = PyBytes_FromString(work);
    PyMem_Free(work);
    return result;
}
static PyMethodDef methods[] = {{"glue_paths", glue_paths, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "gluer", "", -1, methods};
PyMODINIT_FUNC PyInit_gluer(void) { return PyModule_Create(&module); }
