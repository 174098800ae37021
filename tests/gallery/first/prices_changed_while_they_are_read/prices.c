// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *
prices_walk(PyObject *module, PyObject *args)
{
    PyObject *table, *tell, *name, *price;
    Py_ssize_t at = 0;
    double sum = 0;

    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &table, &tell))
        return NULL;
    while (PyDict_Next(table, &at, &name, &price)) {
        PyObject *done = PyObject_CallFunctionObjArgs(tell, name, NULL), *amount;

        if (done == NULL)
            return NULL;
        Py_DECREF(done);
        amount = PyObject_GetAttrString(price, "amount");
        if (amount == NULL)
            return NULL;
        sum += PyFloat_AsDouble(amount);
        Py_DECREF(amount);
    }
    return PyFloat_FromDouble(sum);
}

static PyMethodDef methods[] = {{"prices_walk", prices_walk, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "prices", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC
PyInit_prices(void)
{
    return PyModule_Create(&module);
}
