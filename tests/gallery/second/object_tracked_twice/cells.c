// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD PyObject *value; } Cell;
static int cell_traverse(Cell *self, visitproc visit, void *arg)
{
    Py_VISIT(self->value);
    return 0;
}
static int cell_clear(Cell *self)
{
    Py_CLEAR(self->value);
    return 0;
}
static void cell_dealloc(Cell *self)
{
    PyObject_GC_UnTrack(self);
    cell_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}
static PyObject *cell_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *value;
    if (!PyArg_ParseTuple(args, "O", &value))
        return NULL;
    Cell *self = (Cell *)type->tp_alloc(type, 0);
    Py_INCREF(value);
    self->value = value;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}
static PyTypeObject CellType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "cells.Cell",
    .tp_basicsize = sizeof(Cell),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = cell_new,
    .tp_dealloc = (destructor)cell_dealloc,
    .tp_traverse = (traverseproc)cell_traverse,
    .tp_clear = (inquiry)cell_clear,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "cells", "", -1, 0};
PyMODINIT_FUNC PyInit_cells(void)
{
    if (PyType_Ready(&CellType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&CellType);
    PyModule_AddObject(made, "Cell", (PyObject *)&CellType);
    return made;
}
