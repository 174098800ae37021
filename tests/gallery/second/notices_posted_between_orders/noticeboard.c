// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static int deliver(void *notice)
{
    PyObject *answer = PyObject_CallObject((PyObject *)notice, NULL);

    if (!answer)
        return -1;
    Py_DECREF(answer);
    return 0;
}

static PyObject *later(PyObject *self, PyObject *notice)
{
    if (Py_AddPendingCall(deliver, notice) < 0) {
        PyErr_SetString(PyExc_RuntimeError, "the board is full");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"later", later, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "noticeboard", NULL, -1, methods};

PyMODINIT_FUNC PyInit_noticeboard(void)
{
    return PyModule_Create(&module);
}
