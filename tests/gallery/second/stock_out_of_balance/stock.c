// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static long articles[64], total;
static PyObject *stock_move(PyObject *self, PyObject *args)
{
    int article, number;
    if (!PyArg_ParseTuple(args, "ii", &article, &number))
        return NULL;
    articles[article & 63] += number;
    total += number;
    Py_RETURN_NONE;
}
static PyObject *stock_correct(PyObject *self, PyObject *args)
{
    int article, number;
    if (!PyArg_ParseTuple(args, "ii", &article, &number))
        return NULL;
    articles[article & 63] = number;
    Py_RETURN_NONE;
}
static PyObject *stock_close_day(PyObject *self, PyObject *none)
{
    long sum = 0;
    for (int n = 0; n < 64; n++)
        sum += articles[n];
    if (sum != total)
        Py_FatalError("stock: the articles do not add up to the total");
    return PyLong_FromLong(sum);
}
static PyMethodDef methods[] = {{"move", stock_move, METH_VARARGS, ""}, {"correct", stock_correct, METH_VARARGS, ""},
                                {"close_day", stock_close_day, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "stock", "", -1, methods};
PyMODINIT_FUNC PyInit_stock(void) { return PyModule_Create(&module); }
