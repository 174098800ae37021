// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Put a parcel on a place of the lorry; False when the lorry has no such place. */
static PyObject *place(PyObject *self, PyObject *args)
{
    PyObject *lorry, *parcel;
    Py_ssize_t number;
    if (!PyArg_ParseTuple(args, "O!nO", &PyList_Type, &lorry, &number, &parcel))
        return NULL;
    Py_INCREF(parcel);
    if (PyList_SetItem(lorry, number, parcel) < 0) {
        Py_DECREF(parcel);
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

static PyMethodDef methods[] = {
    {"place", place, METH_VARARGS, "Put a parcel on a place."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "loading", NULL, -1, methods};

PyMODINIT_FUNC PyInit_loading(void)
{
    return PyModule_Create(&module);
}
