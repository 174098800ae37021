// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *till_charge(PyObject *self, PyObject *args)
{
    PyObject *rule, *cents, *pieces;
    int number;
    char label[64];
    if (!PyArg_ParseTuple(args, "OiOO", &rule, &number, &cents, &pieces))
        return NULL;
    snprintf(label, sizeof label, "article-%07d of the spring catalogue", number);
    PyObject *article = PyUnicode_FromString(label);
    snprintf(label, sizeof label, "customer-%07d of the town of Springfield", number * 17);
    PyObject *customer = PyUnicode_FromString(label);
    PyObject *discount = PyObject_CallFunctionObjArgs(rule, article, cents, pieces, customer);
    Py_DECREF(article);
    Py_DECREF(customer);
    return discount;
}
static PyMethodDef methods[] = {{"charge", till_charge, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "till", "", -1, methods};
PyMODINIT_FUNC PyInit_till(void) { return PyModule_Create(&module); }
