// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

static PyObject *Rejected;
static long taken;

static PyObject *take(PyObject *self, PyObject *args)
{
    long weight;
    if (!PyArg_ParseTuple(args, "l", &weight)) return NULL;
    if (weight > 30000) {
        PyErr_Format(Rejected, "%ld g are too heavy for this counter", weight);
        return NULL;
    }
    return PyLong_FromLong(++taken);
}

static PyMethodDef methods[] = {{"take", take, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "counter", NULL, 0, methods};

PyMODINIT_FUNC PyInit_counter(void)
{
    PyObject *m = PyModule_Create(&module);
    Rejected = PyErr_NewException("counter.Rejected", PyExc_ValueError, NULL);
    PyModule_AddObject(m, "Rejected", Rejected);
    return m;
}
