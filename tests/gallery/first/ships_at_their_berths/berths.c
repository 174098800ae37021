// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *ship;
    long calls;
} Berth;

static PyObject *berth_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *ship;
    if (!PyArg_ParseTuple(args, "U", &ship))
        return NULL;
    Berth *self = (Berth *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    Py_INCREF(ship);
    self->ship = ship;
    return (PyObject *)self;
}

static void berth_dealloc(Berth *self)
{
    Py_CLEAR(self->ship);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *berth_report(Berth *self, PyObject *unused)
{
    self->calls++;
    return Py_BuildValue("(Nl)", self->ship, self->calls);
}

static PyMethodDef berth_methods[] = {
    {"report", (PyCFunction)berth_report, METH_NOARGS, "The ship and how often it was asked for."},
    {NULL},
};

static PyTypeObject BerthType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "berths.Berth",
    .tp_basicsize = sizeof(Berth),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = berth_new,
    .tp_dealloc = (destructor)berth_dealloc,
    .tp_methods = berth_methods,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "berths", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_berths(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyType_Ready(&BerthType) < 0)
        return NULL;
    Py_INCREF(&BerthType);
    PyModule_AddObject(made, "Berth", (PyObject *)&BerthType);
    return made;
}
