// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A price book: prices by species, with the rules that change them. */

typedef struct {
    PyObject_HEAD
    PyObject *species;
    PyObject *rules;
    long lookups;
} PriceBook;

static int
pricebook_init(PriceBook *self, PyObject *args, PyObject *kwargs)
{
    PyObject *species, *rules;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &species, &PyList_Type, &rules))
        return -1;
    Py_INCREF(species);
    Py_XSETREF(self->species, species);
    Py_INCREF(rules);
    Py_XSETREF(self->rules, rules);
    return 0;
}

static void
pricebook_dealloc(PriceBook *self)
{
    Py_XDECREF(self->species);
    Py_XDECREF(self->rules);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
pricebook_species(PriceBook *self, void *closure)
{
    Py_INCREF(self->species);
    return self->species;
}

static PyObject *
pricebook_rules(PriceBook *self, void *closure)
{
    Py_INCREF(self->rules);
    return self->rules;
}

static PyObject *
pricebook_price(PriceBook *self, PyObject *args)
{
    PyObject *name;
    double length;
    if (!PyArg_ParseTuple(args, "Od", &name, &length))
        return NULL;
    PyObject *base = PyDict_GetItemWithError(self->species, name);
    if (base == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, name);
        return NULL;
    }
    double price = PyFloat_AsDouble(base) * length;
    Py_ssize_t number = PyList_GET_SIZE(self->rules);
    for (Py_ssize_t i = 0; i < number; i++) {
        PyObject *rule = PyList_GET_ITEM(self->rules, i);
        Py_INCREF(rule);
        PyObject *changed = PyObject_CallFunction(rule, "Odd", name, length, price);
        Py_DECREF(rule);
        if (changed == NULL)
            return NULL;
        price = PyFloat_AsDouble(changed);
        Py_DECREF(changed);
        if (price == -1.0 && PyErr_Occurred())
            return NULL;
    }
    self->lookups++;
    return PyFloat_FromDouble(price);
}

static PyGetSetDef pricebook_getset[] = {
    {"species", (getter)pricebook_species},
    {"rules", (getter)pricebook_rules},
    {NULL},
};

static PyMethodDef pricebook_methods[] = {
    {"price", (PyCFunction)pricebook_price, METH_VARARGS},
    {NULL},
};

static PyTypeObject PriceBookType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "yardstick.PriceBook",
    .tp_basicsize = sizeof(PriceBook),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)pricebook_init,
    .tp_dealloc = (destructor)pricebook_dealloc,
    .tp_getset = pricebook_getset,
    .tp_methods = pricebook_methods,
};

static struct PyModuleDef yardstick = {PyModuleDef_HEAD_INIT, "yardstick", NULL, -1};

PyMODINIT_FUNC
PyInit_yardstick(void)
{
    PyObject *module = PyModule_Create(&yardstick);
    if (module == NULL || PyType_Ready(&PriceBookType) < 0)
        return NULL;
    Py_INCREF(&PriceBookType);
    PyModule_AddObject(module, "PriceBook", (PyObject *)&PriceBookType);
    return module;
}
