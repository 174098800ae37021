// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

static PyObject *run(PyObject *module, PyObject *args)
{
    const char *source;
    if (!PyArg_ParseTuple(args, "s", &source))
        return NULL;
    PyThreadState *ours = PyThreadState_Get();
    PyThreadState *theirs = Py_NewInterpreter();
    if (theirs == NULL) {
        PyThreadState_Swap(ours);
        return PyErr_NoMemory();
    }
    int status = PyRun_SimpleString(source);
    Py_EndInterpreter(theirs);
    return PyLong_FromLong(status);
}

static PyMethodDef methods[] = {
    {"run", run, METH_VARARGS, "Run a source in a new interpreter; 0 when it went well."},
    {NULL},
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "apart", NULL, -1, methods};

PyMODINIT_FUNC PyInit_apart(void)
{
    return PyModule_Create(&module);
}
