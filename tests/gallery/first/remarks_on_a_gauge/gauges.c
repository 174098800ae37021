/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    double value;
    char *unit;
    PyObject *dict;
} Gauge;

#define DICT_OFFSET 24 /* behind the value */

static PyObject *gauge_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *unit;
    if (!PyArg_ParseTuple(args, "s", &unit))
        return NULL;
    Gauge *self = (Gauge *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->unit = PyMem_Malloc(strlen(unit) + 1);
    if (self->unit != NULL)
        strcpy(self->unit, unit);
    return (PyObject *)self;
}

static void gauge_dealloc(Gauge *self)
{
    PyMem_Free(self->unit);
    Py_XDECREF(self->dict);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *gauge_set(Gauge *self, PyObject *value)
{
    self->value = PyFloat_AsDouble(value);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *gauge_get(Gauge *self, PyObject *none) { return PyFloat_FromDouble(self->value); }

static PyObject *gauge_unit(Gauge *self, PyObject *none)
{
    return PyUnicode_FromString(self->unit);
}

static PyMethodDef gauge_methods[] = {
    {"set", (PyCFunction)gauge_set, METH_O, NULL},
    {"get", (PyCFunction)gauge_get, METH_NOARGS, NULL},
    {"unit", (PyCFunction)gauge_unit, METH_NOARGS, NULL},
    {NULL},
};

static PyTypeObject Gauge_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "gauges.Gauge",
    .tp_basicsize = sizeof(Gauge),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dictoffset = DICT_OFFSET,
    .tp_dealloc = (destructor)gauge_dealloc,
    .tp_methods = gauge_methods,
    .tp_new = gauge_new,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "gauges", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_gauges(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyType_Ready(&Gauge_Type) < 0)
        return NULL;
    Py_INCREF(&Gauge_Type);
    PyModule_AddObject(made, "Gauge", (PyObject *)&Gauge_Type);
    return made;
}
