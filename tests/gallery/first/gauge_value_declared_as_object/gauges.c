// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *name;
    double value;
    unsigned long updates;
} Gauge;

static int init(Gauge *self, PyObject *args, PyObject *kwargs)
{
    PyObject *name;
    if (!PyArg_ParseTuple(args, "U", &name)) return -1;
    Py_INCREF(name);
    Py_XSETREF(self->name, name);
    return 0;
}

static void dealloc(Gauge *self)
{
    Py_XDECREF(self->name);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *set(Gauge *self, PyObject *number)
{
    self->value = PyFloat_AsDouble(number);
    self->updates++;
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static PyMemberDef members[] = {
    {"name", T_OBJECT_EX, offsetof(Gauge, name), READONLY, ""},
    {"value", T_OBJECT_EX, offsetof(Gauge, value), READONLY, ""},
    {"updates", T_ULONG, offsetof(Gauge, updates), READONLY, ""},
    {0}};
static PyMethodDef gauge_methods[] = {{"set", (PyCFunction)set, METH_O, ""}, {0}};
static PyTypeObject GaugeType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "gauges.Gauge", .tp_basicsize = sizeof(Gauge), .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew, .tp_init = (initproc)init, .tp_dealloc = (destructor)dealloc,
    .tp_members = members, .tp_methods = gauge_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "gauges", "", -1, NULL};

PyMODINIT_FUNC PyInit_gauges(void)
{
    if (PyType_Ready(&GaugeType) < 0) return NULL;
    PyObject *self = PyModule_Create(&module);
    if (!self) return NULL;
    Py_INCREF(&GaugeType);
    PyModule_AddObject(self, "Gauge", (PyObject *)&GaugeType);
    return self;
}
