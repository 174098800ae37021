// SPDX-License-Identifier: Apache-2.0
// Deals of a bridge club: a fixed number of cards each, made by a factory.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    Py_ssize_t count;
    PyObject **cards;
    PyObject *dealer;
} Deal;

static int
Deal_traverse(Deal *self, visitproc visit, void *arg)
{
    Py_VISIT(self->dealer);
    for (Py_ssize_t i = 0; i < self->count; i++)
        Py_VISIT(self->cards[i]);
    return 0;
}

static int
Deal_clear(Deal *self)
{
    Py_CLEAR(self->dealer);
    for (Py_ssize_t i = 0; self->cards && i < self->count; i++)
        Py_CLEAR(self->cards[i]);
    return 0;
}

static void
Deal_dealloc(Deal *self)
{
    PyObject_GC_UnTrack(self);
    Deal_clear(self);
    PyMem_Free(self->cards);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
Deal_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *factory, *dealer;
    Py_ssize_t count;

    if (!PyArg_ParseTuple(args, "OOn:Deal", &factory, &dealer, &count))
        return NULL;
    Deal *self = (Deal *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(dealer);
    self->dealer = dealer;
    self->count = count;
    PyObject *hand = PyObject_CallFunction(factory, "On", dealer, count);
    if (!hand || !PyList_Check(hand) || PyList_GET_SIZE(hand) != count) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "the factory must return a list of cards");
        Py_XDECREF(hand);
        Py_DECREF(self);
        return NULL;
    }
    self->cards = PyMem_Calloc(count, sizeof(PyObject *));
    for (Py_ssize_t i = 0; i < count; i++) {
        self->cards[i] = PyList_GET_ITEM(hand, i);
        Py_INCREF(self->cards[i]);
    }
    Py_DECREF(hand);
    return (PyObject *)self;
}

static Py_ssize_t
Deal_length(Deal *self)
{
    return self->count;
}

static PyObject *
Deal_item(Deal *self, Py_ssize_t index)
{
    if (index < 0 || index >= self->count) {
        PyErr_SetString(PyExc_IndexError, "no such card");
        return NULL;
    }
    Py_INCREF(self->cards[index]);
    return self->cards[index];
}

static PySequenceMethods as_sequence = {
    .sq_length = (lenfunc)Deal_length,
    .sq_item = (ssizeargfunc)Deal_item,
};

static PyTypeObject DealType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "bridge.Deal",
    .tp_basicsize = sizeof(Deal),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = Deal_new,
    .tp_dealloc = (destructor)Deal_dealloc,
    .tp_traverse = (traverseproc)Deal_traverse,
    .tp_clear = (inquiry)Deal_clear,
    .tp_as_sequence = &as_sequence,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "bridge", NULL, -1, NULL};

PyMODINIT_FUNC
PyInit_bridge(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyType_Ready(&DealType) < 0)
        return NULL;
    Py_INCREF(&DealType);
    PyModule_AddObject(module, "Deal", (PyObject *)&DealType);
    return module;
}
