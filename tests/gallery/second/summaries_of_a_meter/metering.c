/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *unit;
    double total;
    long count;
} Meter;

static int meter_init(Meter *self, PyObject *args, PyObject *kwargs)
{
    PyObject *unit;
    if (!PyArg_ParseTuple(args, "U", &unit))
        return -1;
    Py_INCREF(unit);
    self->unit = unit;
    return 0;
}

static void meter_dealloc(Meter *self)
{
    Py_XDECREF(self->unit);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *meter_add(Meter *self, PyObject *value)
{
    self->total += PyFloat_AsDouble(value);
    self->count++;
    Py_RETURN_NONE;
}

static PyObject *meter_summary(Meter *self, PyObject *unused)
{
    return Py_BuildValue("{s:N,s:d,s:l}", "unit", self->unit, "total", self->total, "count",
                         self->count);
}

static PyMethodDef meter_methods[] = {{"add", (PyCFunction)meter_add, METH_O, NULL},
                                      {"summary", (PyCFunction)meter_summary, METH_NOARGS, NULL},
                                      {NULL}};
static PyTypeObject MeterType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "metering.Meter",
    .tp_basicsize = sizeof(Meter),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)meter_init,
    .tp_dealloc = (destructor)meter_dealloc,
    .tp_methods = meter_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "metering", NULL, -1};

PyMODINIT_FUNC PyInit_metering(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyType_Ready(&MeterType) < 0)
        return NULL;
    Py_INCREF(&MeterType);
    PyModule_AddObject(made, "Meter", (PyObject *)&MeterType);
    return made;
}
