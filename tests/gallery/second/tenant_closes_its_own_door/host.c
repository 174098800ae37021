// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyThreadState *tenants[16];
static PyObject *host_open(PyObject *self, PyObject *args)
{
    int number;
    const char *script;
    if (!PyArg_ParseTuple(args, "is", &number, &script))
        return NULL;
    PyThreadState *here = PyThreadState_Get();
    PyThreadState *own = Py_NewInterpreter();
    if (!own) {
        PyThreadState_Swap(here);
        return PyErr_NoMemory();
    }
    tenants[number & 15] = own;
    int failed = PyRun_SimpleString(script);
    PyThreadState_Swap(here);
    return PyLong_FromLong(failed);
}
static PyObject *host_close(PyObject *self, PyObject *number)
{
    long n = PyLong_AsLong(number) & 15;
    PyThreadState *here = PyThreadState_Swap(tenants[n]);
    Py_EndInterpreter(tenants[n]);
    tenants[n] = NULL;
    PyThreadState_Swap(here);
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"open", host_open, METH_VARARGS, ""},
                                {"close", host_close, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "host", "", -1, methods};
PyMODINIT_FUNC PyInit_host(void) { return PyModule_Create(&module); }
