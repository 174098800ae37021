// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* each(table, function): the sum of function(key, value) over a dict. */
static PyObject *each(PyObject *self, PyObject *args)
{
    PyObject *table, *function, *key, *value;
    Py_ssize_t at = 0;
    double sum = 0.0;
    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &table, &function))
        return NULL;
    while (PyDict_Next(table, &at, &key, &value)) {
        PyObject *done = PyObject_CallFunctionObjArgs(function, key, value, NULL);
        if (done == NULL)
            return NULL;
        sum += PyFloat_AsDouble(done);
        Py_DECREF(done);
        if (PyErr_Occurred())
            return NULL;
        Py_ssize_t more = PyObject_Length(value);
        if (more < 0)
            return NULL;
        sum += (double)more;
    }
    return PyFloat_FromDouble(sum);
}

static PyMethodDef methods[] = {
    {"each", each, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "audit", NULL, -1, methods};

PyMODINIT_FUNC PyInit_audit(void)
{
    return PyModule_Create(&module);
}
