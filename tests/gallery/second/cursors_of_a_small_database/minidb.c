// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *connection;
    PyObject *rows;
    long arraysize;
} Cursor;

static PyTypeObject CursorType;

static PyObject *cursor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Cursor *self = PyObject_GC_New(Cursor, type);
    if (!self)
        return NULL;
    self->connection = NULL;
    self->rows = NULL;
    self->arraysize = 1;
    return (PyObject *)self;
}

static int cursor_init(Cursor *self, PyObject *args, PyObject *kwargs)
{
    PyObject *connection;
    if (!PyArg_ParseTuple(args, "O", &connection))
        return -1;
    Py_INCREF(connection);
    Py_XSETREF(self->connection, connection);
    Py_XSETREF(self->rows, PyList_New(0));
    PyObject_GC_Track(self);
    return 0;
}

static int cursor_traverse(Cursor *self, visitproc visit, void *arg)
{
    Py_VISIT(self->connection);
    Py_VISIT(self->rows);
    return 0;
}

static int cursor_clear(Cursor *self)
{
    Py_CLEAR(self->connection);
    Py_CLEAR(self->rows);
    return 0;
}

static void cursor_dealloc(Cursor *self)
{
    PyObject_GC_UnTrack(self);
    cursor_clear(self);
    PyObject_GC_Del(self);
}

static PyObject *cursor_execute(Cursor *self, PyObject *query)
{
    if (PyList_Append(self->rows, query) < 0)
        return NULL;
    return PyLong_FromSsize_t(PyList_GET_SIZE(self->rows));
}

static PyMethodDef cursor_methods[] = {
    {"execute", (PyCFunction)cursor_execute, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject CursorType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "minidb.Cursor",
    .tp_basicsize = sizeof(Cursor),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_new = cursor_new,
    .tp_init = (initproc)cursor_init,
    .tp_dealloc = (destructor)cursor_dealloc,
    .tp_traverse = (traverseproc)cursor_traverse,
    .tp_clear = (inquiry)cursor_clear,
    .tp_methods = cursor_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "minidb", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_minidb(void)
{
    PyObject *made = PyModule_Create(&module);
    if (!made || PyType_Ready(&CursorType) < 0)
        return NULL;
    Py_INCREF(&CursorType);
    PyModule_AddObject(made, "Cursor", (PyObject *)&CursorType);
    return made;
}
