// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct { PyObject_HEAD double level; } Gauge;

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
    Py_DECREF(type);
}

static PyObject *level(Gauge *self, PyObject *nothing) { return PyFloat_FromDouble(self->level); }

static PyMethodDef methods[] = {{"level", (PyCFunction)level, METH_NOARGS, ""}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0}};
static PyType_Spec spec = {"gauges.Gauge", sizeof(Gauge), 0, Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "gauges", "", -1, NULL};

PyMODINIT_FUNC PyInit_gauges(void)
{
    PyObject *m = PyModule_Create(&module);
    PyObject *type = PyType_FromSpec(&spec);
    if (!type || PyModule_AddObject(m, "Gauge", type)) return NULL;
    return m;
}
