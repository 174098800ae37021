/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

static PyObject *total(PyObject *self, PyObject *weights)
{
    PyObject **items = ((PyListObject *)weights)->ob_item;
    Py_ssize_t count = Py_SIZE(weights);
    double sum = 0;
    for (Py_ssize_t n = 0; n < count; n++)
        sum += PyFloat_AsDouble(items[n]);
    return PyFloat_FromDouble(sum);
}

static PyMethodDef methods[] = {{"total", total, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "basket", NULL, -1, methods};
PyMODINIT_FUNC PyInit_basket(void) { return PyModule_Create(&module); }
