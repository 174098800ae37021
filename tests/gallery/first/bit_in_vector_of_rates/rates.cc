// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <vector>
static std::vector<double> rates;
static PyObject *load(PyObject *self, PyObject *count)
{
    long days = PyLong_AsLong(count);
    for (long day = 0; day < days; day++)
        rates.push_back(1.0 + 0.001 * (day % 97));
    Py_RETURN_NONE;
}
static PyObject *rate(PyObject *self, PyObject *day)
{
    size_t at = PyLong_AsSize_t(day);
    if (at >= rates.size())
        return PyErr_Format(PyExc_IndexError, "no rate of day %zu", at);
    return PyFloat_FromDouble(rates[at]);
}
static PyObject *place(PyObject *self, PyObject *ignored) { return PyLong_FromVoidPtr(&rates); }
static PyMethodDef methods[] = {
    {"load", load, METH_O, ""},
    {"rate", rate, METH_O, ""},
    {"place", place, METH_NOARGS, ""},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rates", "", -1, methods};
PyMODINIT_FUNC PyInit_rates(void) { return PyModule_Create(&module); }
