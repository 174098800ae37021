// SPDX-License-Identifier: Apache-2.0
// A gate around a library that is not thread-safe, as extensions have one: a lock and its owner.
#include <Python.h>
#include <pythread.h>

typedef struct {
    PyObject_HEAD
    PyThread_type_lock lock;
    unsigned long owner;
    long count;
} Gate;

static PyObject *gate_enter(Gate *self, PyObject *unused)
{
    unsigned long me = PyThread_get_thread_ident();
    if (self->count > 0 && self->owner == me) {
        self->count++;
    } else {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
        self->owner = me;
        self->count = 1;
    }
    Py_INCREF(self);
    return (PyObject *)self;
}

static PyObject *gate_leave(Gate *self, PyObject *unused)
{
    if (--self->count == 0) {
        self->owner = 0;
        PyThread_release_lock(self->lock);
    }
    Py_RETURN_NONE;
}

static PyObject *gate_visit(Gate *self, PyObject *visitor)
{
    PyObject *entered = gate_enter(self, NULL), *result;
    Py_DECREF(entered);
    result = PyObject_CallNoArgs(visitor);
    Py_XDECREF(gate_leave(self, NULL));
    return result;
}

static PyObject *gate_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    Gate *self = (Gate *)type->tp_alloc(type, 0);
    if (self != NULL)
        self->lock = PyThread_allocate_lock();
    return (PyObject *)self;
}

static PyMethodDef methods[] = {
    {"visit", (PyCFunction)gate_visit, METH_O, "Call a function inside of the gate."},
    {"close", (PyCFunction)gate_enter, METH_NOARGS, "Enter the gate."},
    {"open", (PyCFunction)gate_leave, METH_NOARGS, "Leave the gate."},
    {NULL},
};

static PyTypeObject gate_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "archive.Gate",
    .tp_basicsize = sizeof(Gate),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = gate_new,
    .tp_methods = methods,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "archive", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_archive(void)
{
    PyObject *self = PyModule_Create(&module);
    if (self == NULL || PyType_Ready(&gate_type) < 0)
        return NULL;
    Py_INCREF(&gate_type);
    PyModule_AddObject(self, "Gate", (PyObject *)&gate_type);
    return self;
}
