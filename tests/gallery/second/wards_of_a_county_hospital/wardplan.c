// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Puts a nurse into a slot of the week's plan (a tuple of seven). */
static PyObject *assign(PyObject *self, PyObject *args)
{
    PyObject *week, *nurse;
    Py_ssize_t day;
    if (!PyArg_ParseTuple(args, "O!nO", &PyTuple_Type, &week, &day, &nurse))
        return NULL;
    Py_INCREF(nurse);
    if (PyTuple_SetItem(week, day, nurse) < 0) {
        Py_DECREF(nurse);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"assign", assign, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "wardplan", NULL, -1, methods};

PyMODINIT_FUNC PyInit_wardplan(void)
{
    return PyModule_Create(&module);
}
