// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
__attribute__((noinline)) static void nested(void)
{
    Py_BEGIN_ALLOW_THREADS
    asm volatile("" ::: "memory");
    Py_END_ALLOW_THREADS
}
static PyObject *copy_block(PyObject *self, PyObject *size)
{
    Py_BEGIN_ALLOW_THREADS
    nested();
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(1);
}
static PyMethodDef methods[] = {{"copy_block", copy_block, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "backup_io", "", -1, methods};
PyMODINIT_FUNC PyInit_backup_io(void) { return PyModule_Create(&module); }
