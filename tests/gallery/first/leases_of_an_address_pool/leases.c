// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *address;
    PyObject *on_release;
    PyObject *client;
} LeaseObject;

static int lease_traverse(LeaseObject *self, visitproc visit, void *arg)
{
    Py_VISIT(self->address);
    Py_VISIT(self->on_release);
    Py_VISIT(self->client);
    return 0;
}

static int lease_clear(LeaseObject *self)
{
    Py_CLEAR(self->on_release);
    Py_CLEAR(self->client);
    Py_CLEAR(self->address);
    return 0;
}

static void lease_dealloc(LeaseObject *self)
{
    if (self->on_release) {
        PyObject *answer = PyObject_CallFunctionObjArgs(self->on_release, self->address, NULL);
        if (!answer)
            PyErr_WriteUnraisable(self->on_release);
        Py_XDECREF(answer);
    }
    Py_XDECREF(self->on_release);
    Py_DECREF(self->client);
    Py_DECREF(self->address);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *lease_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    LeaseObject *self;
    PyObject *address, *client, *on_release;
    if (!PyArg_ParseTuple(args, "OOO", &address, &client, &on_release))
        return NULL;
    self = (LeaseObject *)type->tp_alloc(type, 0);
    if (self) {
        Py_INCREF(address);
        Py_INCREF(client);
        Py_INCREF(on_release);
        self->address = address;
        self->client = client;
        self->on_release = on_release;
    }
    return (PyObject *)self;
}

static PyTypeObject LeaseType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "leases.Lease",
    .tp_basicsize = sizeof(LeaseObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = (destructor)lease_dealloc,
    .tp_traverse = (traverseproc)lease_traverse,
    .tp_clear = (inquiry)lease_clear,
    .tp_new = lease_new,
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "leases", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_leases(void)
{
    PyObject *module;
    if (PyType_Ready(&LeaseType) < 0 || !(module = PyModule_Create(&definition)))
        return NULL;
    Py_INCREF(&LeaseType);
    PyModule_AddObject(module, "Lease", (PyObject *)&LeaseType);
    return module;
}
