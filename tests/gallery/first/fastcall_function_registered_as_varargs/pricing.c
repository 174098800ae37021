/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

static double rebate(PyObject *const *items)
{
    double price = PyFloat_AsDouble(items[0]);
    double share = PyFloat_AsDouble(items[1]);
    return price - price * share;
}

/* Written for METH_FASTCALL. */
static PyObject *discounted(PyObject *self, PyObject *const *items, Py_ssize_t count)
{
    double value = rebate(items);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(value);
}

static PyMethodDef methods[] = {
    {"discounted", (PyCFunction)(void *)discounted, METH_VARARGS, NULL},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pricing", NULL, -1, methods};
PyMODINIT_FUNC PyInit_pricing(void) { return PyModule_Create(&module); }
