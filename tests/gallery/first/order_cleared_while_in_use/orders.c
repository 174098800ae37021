/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

typedef struct node {
    PyObject_HEAD
    PyObject *lines;
    struct node *parent; /* not counted: the parent lives longer */
    long cents;
} node;

static PyTypeObject node_type;

static int node_traverse(node *self, visitproc visit, void *arg)
{
    Py_VISIT(self->lines);
    Py_VISIT(self->parent);
    return 0;
}

static int node_clear(node *self)
{
    Py_CLEAR(self->lines);
    return 0;
}

static void node_dealloc(node *self)
{
    PyObject_GC_UnTrack(self);
    node_clear(self);
    PyObject_GC_Del(self);
}

static node *node_make(node *parent, long cents)
{
    node *self = PyObject_GC_New(node, &node_type);
    self->lines = PyList_New(0);
    self->parent = parent;
    self->cents = cents;
    PyObject_GC_Track(self);
    return self;
}

static PyObject *add_line(node *self, PyObject *cents)
{
    node *line = node_make(self, PyLong_AsLong(cents));
    int failed = PyList_Append(self->lines, (PyObject *)line);
    Py_DECREF(line);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static long sum_lines(node *self)
{
    long sum = self->cents;
    for (Py_ssize_t n = 0; n < PyList_GET_SIZE(self->lines); n++)
        sum += sum_lines((node *)PyList_GET_ITEM(self->lines, n));
    return sum;
}

static PyObject *total(node *self, PyObject *unused) { return PyLong_FromLong(sum_lines(self)); }

static PyMethodDef node_methods[] = {
    {"add_line", (PyCFunction)add_line, METH_O, NULL},
    {"total", (PyCFunction)total, METH_NOARGS, NULL},
    {NULL},
};

static PyTypeObject node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "orders.Order",
    .tp_basicsize = sizeof(node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)node_traverse,
    .tp_clear = (inquiry)node_clear,
    .tp_dealloc = (destructor)node_dealloc,
    .tp_methods = node_methods,
};

static PyObject *new_order(PyObject *self, PyObject *unused) { return (PyObject *)node_make(NULL, 0); }

static PyMethodDef methods[] = {{"new_order", new_order, METH_NOARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "orders", NULL, -1, methods};

PyMODINIT_FUNC PyInit_orders(void)
{
    return PyType_Ready(&node_type) < 0 ? NULL : PyModule_Create(&module);
}
