// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* filled(size, value): a list of a value, as [value] * size. */
static PyObject *filled(PyObject *self, PyObject *args)
{
    Py_ssize_t size, i;
    PyObject *value, *cells;
    if (!PyArg_ParseTuple(args, "nO", &size, &value))
        return NULL;
    cells = PyList_New(size);
    for (i = 0; i < size; i++) {
        Py_INCREF(value);
        PyList_SET_ITEM(cells, i, value);
    }
    return cells;
}

static PyMethodDef methods[] = {
    {"filled", filled, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "gridmap", NULL, -1, methods};

PyMODINIT_FUNC PyInit_gridmap(void)
{
    return PyModule_Create(&module);
}
