/* Burial fees by parish. The table is a dict of Python; the arithmetic is done here. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static double surcharge(long year, int winter)
{
    double rate = year >= 1990 ? 1.03 : 1.0;
    for (long y = 1990; y < year; y++)
        rate *= 1.002;
    return winter ? rate * 1.15 : rate;
}

static PyObject *fees_fee(PyObject *self, PyObject *args)
{
    PyObject *table, *parish;
    long year;
    int winter = 0;
    if (!PyArg_ParseTuple(args, "O!sl|p:fee", &PyDict_Type, &table, &parish, &year, &winter))
        return NULL;
    PyObject *base = PyDict_GetItemWithError(table, parish);
    if (!base) {
        if (!PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, parish);
        return NULL;
    }
    return PyFloat_FromDouble(PyFloat_AsDouble(base) * surcharge(year, winter));
}

static PyObject *fees_surcharge(PyObject *self, PyObject *args)
{
    long year;
    int winter = 0;
    if (!PyArg_ParseTuple(args, "l|p:surcharge", &year, &winter))
        return NULL;
    return PyFloat_FromDouble(surcharge(year, winter));
}

static PyMethodDef methods[] = {
    {"fee", fees_fee, METH_VARARGS, "fee(table, parish, year, winter=False)"},
    {"surcharge", fees_surcharge, METH_VARARGS, "surcharge(year, winter=False)"},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fees", NULL, -1, methods};

PyMODINIT_FUNC PyInit_fees(void)
{
    return PyModule_Create(&module);
}
