// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *name;
} Berth;

static PyObject *
berth_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *name;
    Berth *self;

    if (!PyArg_ParseTuple(args, "U", &name))
        return NULL;
    self = (Berth *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    Py_INCREF(name);
    self->name = name;
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

static int
berth_traverse(Berth *self, visitproc visit, void *arg)
{
    Py_VISIT(self->name);
    return 0;
}

static int
berth_clear(Berth *self)
{
    Py_CLEAR(self->name);
    return 0;
}

static void
berth_dealloc(Berth *self)
{
    PyObject_GC_UnTrack(self);
    berth_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyTypeObject BerthType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "berths.Berth",
    .tp_basicsize = sizeof(Berth),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = berth_new,
    .tp_traverse = (traverseproc)berth_traverse,
    .tp_clear = (inquiry)berth_clear,
    .tp_dealloc = (destructor)berth_dealloc,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "berths", .m_size = -1};

PyMODINIT_FUNC
PyInit_berths(void)
{
    PyObject *self = PyModule_Create(&module);

    if (self == NULL || PyType_Ready(&BerthType) < 0)
        return NULL;
    Py_INCREF(&BerthType);
    if (PyModule_AddObject(self, "Berth", (PyObject *)&BerthType) < 0)
        return NULL;
    return self;
}
