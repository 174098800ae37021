// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static int write_price(char *out, double price) { return sprintf(out, "EUR %.2f", price); }
static PyObject *labels_price(PyObject *self, PyObject *value)
{
    char text[40];
    double price = PyFloat_AsDouble(value);
    if (price == -1.0 && PyErr_Occurred())
        return NULL;
    int length = write_price(text, price);
    return PyUnicode_FromStringAndSize(text, length);
}
static PyMethodDef methods[] = {{"price", labels_price, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "labels", "", -1, methods};
PyMODINIT_FUNC PyInit_labels(void) { return PyModule_Create(&module); }
