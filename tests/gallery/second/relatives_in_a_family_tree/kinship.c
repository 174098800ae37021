// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include "structmember.h"

typedef struct {
    PyObject_HEAD
    PyObject *name, *parish, *spouse;
} Person;

static int person_init(Person *self, PyObject *args, PyObject *kwargs)
{
    if (!PyArg_ParseTuple(args, "UO", &self->name, &self->parish))
        return -1;
    Py_INCREF(self->name);
    Py_INCREF(self->parish);
    return 0;
}

static int person_traverse(Person *self, visitproc visit, void *arg)
{
    Py_VISIT(self->name);
    Py_VISIT(self->parish);
    Py_VISIT(self->spouse);
    return 0;
}

static int person_clear(Person *self)
{
    Py_XDECREF(self->name);
    Py_XDECREF(self->parish);
    Py_CLEAR(self->spouse);
    return 0;
}

static void person_dealloc(Person *self)
{
    PyObject_GC_UnTrack(self);
    person_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMemberDef members[] = {
    {"name", T_OBJECT, offsetof(Person, name), READONLY, NULL},
    {"spouse", T_OBJECT, offsetof(Person, spouse), 0, NULL},
    {NULL},
};
static PyTypeObject type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "kinship.Person", .tp_basicsize = sizeof(Person),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)person_traverse, .tp_clear = (inquiry)person_clear,
    .tp_dealloc = (destructor)person_dealloc, .tp_members = members,
    .tp_init = (initproc)person_init, .tp_new = PyType_GenericNew,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "kinship", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_kinship(void)
{
    PyObject *result = PyModule_Create(&module);
    if (PyType_Ready(&type) < 0 || PyModule_AddObject(result, "Person", (PyObject *)&type) < 0)
        return NULL;
    return result;
}
