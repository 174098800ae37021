/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject **items;
    Py_ssize_t used;
    Py_ssize_t room;
} Queue;

static int queue_traverse(Queue *self, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < self->room; i++)
        Py_VISIT(self->items[i]);
    return 0;
}

static int queue_clear(Queue *self)
{
    while (self->used)
        Py_CLEAR(self->items[--self->used]);
    return 0;
}

static void queue_dealloc(Queue *self)
{
    PyObject_GC_UnTrack(self);
    queue_clear(self);
    PyMem_Free(self->items);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *queue_add(Queue *self, PyObject *item)
{
    if (self->used == self->room) {
        Py_ssize_t room = self->room + 8;
        PyObject **items = PyMem_Calloc(room, sizeof *items);
        if (items == NULL)
            return PyErr_NoMemory();
        if (self->used)
            memcpy(items, self->items, self->used * sizeof *items);
        PyMem_Free(self->items);
        self->items = items;
        self->room = room;
    }
    Py_INCREF(item);
    self->items[self->used++] = item;
    Py_RETURN_NONE;
}

static PyObject *queue_take(Queue *self, PyObject *none)
{
    if (self->used == 0) {
        PyErr_SetString(PyExc_IndexError, "nothing is queued");
        return NULL;
    }
    return self->items[--self->used];
}

static PyObject *queue_length(Queue *self, PyObject *none)
{
    return PyLong_FromSsize_t(self->used);
}

static PyMethodDef queue_methods[] = {
    {"add", (PyCFunction)queue_add, METH_O, NULL},
    {"take", (PyCFunction)queue_take, METH_NOARGS, NULL},
    {"length", (PyCFunction)queue_length, METH_NOARGS, NULL},
    {NULL},
};

static PyTypeObject Queue_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "playout.Queue",
    .tp_basicsize = sizeof(Queue),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)queue_traverse,
    .tp_clear = (inquiry)queue_clear,
    .tp_dealloc = (destructor)queue_dealloc,
    .tp_methods = queue_methods,
    .tp_new = PyType_GenericNew,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "playout", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_playout(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyType_Ready(&Queue_Type) < 0)
        return NULL;
    Py_INCREF(&Queue_Type);
    PyModule_AddObject(made, "Queue", (PyObject *)&Queue_Type);
    return made;
}
