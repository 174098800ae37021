// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <datetime.h>

static long day_number(PyObject *date)
{
    long year = PyDateTime_GET_YEAR(date), month = PyDateTime_GET_MONTH(date);
    long day = PyDateTime_GET_DAY(date);
    if (month < 3)
        year--, month += 12;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month - 457) / 5 + day;
}

static PyObject *between(PyObject *self, PyObject *args)
{
    PyObject *first, *last;
    if (!PyArg_ParseTuple(args, "OO", &first, &last))
        return NULL;
    if (!PyDate_Check(first) || !PyDate_Check(last)) {
        PyErr_SetString(PyExc_TypeError, "dates are needed");
        return NULL;
    }
    long count = 0, end = day_number(last);
    for (long day = day_number(first); day < end; day++)
        count += day % 7 > 0 && day % 7 < 6;
    return PyLong_FromLong(count);
}

static PyMethodDef methods[] = {{"between", between, METH_VARARGS, "Working days."}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "workdays", "", -1, methods};
PyMODINIT_FUNC PyInit_workdays(void) { return PyModule_Create(&module); }
