// SPDX-License-Identifier: Apache-2.0
// A table of fares between zones that remembers the last answer.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *fares; /* dict: (from, to) -> fare */
    int last_from, last_to;
    PyObject *last;
    long asked, remembered;
} Table;

static int
Table_init(Table *self, PyObject *args, PyObject *kwargs)
{
    PyObject *fares;
    if (!PyArg_ParseTuple(args, "O!:Table", &PyDict_Type, &fares))
        return -1;
    Py_INCREF(fares);
    Py_XSETREF(self->fares, fares);
    self->last_from = self->last_to = -1;
    return 0;
}

static int
Table_traverse(Table *self, visitproc visit, void *arg)
{
    Py_VISIT(self->fares);
    Py_VISIT(self->last);
    return 0;
}

static int
Table_clear(Table *self)
{
    Py_CLEAR(self->fares);
    Py_CLEAR(self->last);
    return 0;
}

static void
Table_dealloc(Table *self)
{
    PyObject_GC_UnTrack(self);
    Table_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
Table_fare(Table *self, PyObject *args)
{
    int from, to;
    if (!PyArg_ParseTuple(args, "ii:fare", &from, &to))
        return NULL;
    self->asked++;
    if (from == self->last_from && to == self->last_to && self->last) {
        self->remembered++;
        return self->last;
    }
    PyObject *key = Py_BuildValue("(ii)", from, to);
    if (!key)
        return NULL;
    PyObject *fare = PyDict_GetItemWithError(self->fares, key);
    if (!fare) {
        if (!PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, key);
        Py_DECREF(key);
        return NULL;
    }
    Py_DECREF(key);
    self->last_from = from;
    self->last_to = to;
    Py_INCREF(fare);
    Py_XSETREF(self->last, fare);
    Py_INCREF(fare);
    return fare;
}

static PyMethodDef methods[] = {
    {"fare", (PyCFunction)Table_fare, METH_VARARGS, "The fare from a zone to a zone."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"asked", T_LONG, offsetof(Table, asked), READONLY},
    {"remembered", T_LONG, offsetof(Table, remembered), READONLY},
    {NULL},
};

static PyTypeObject TableType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "fares.Table",
    .tp_basicsize = sizeof(Table),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)Table_init,
    .tp_dealloc = (destructor)Table_dealloc,
    .tp_traverse = (traverseproc)Table_traverse,
    .tp_clear = (inquiry)Table_clear,
    .tp_methods = methods,
    .tp_members = members,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "fares", NULL, -1, NULL};

PyMODINIT_FUNC
PyInit_fares(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyType_Ready(&TableType) < 0)
        return NULL;
    Py_INCREF(&TableType);
    PyModule_AddObject(module, "Table", (PyObject *)&TableType);
    return module;
}
