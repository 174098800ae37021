// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD PyObject *next; long weight; } Node;
static int traverse(Node *self, visitproc visit, void *arg) { Py_VISIT(self->next); return 0; }
static int clear(Node *self) { Py_CLEAR(self->next); return 0; }
static void dealloc(Node *self)
{
    Py_CLEAR(self->next);
    memset(&self->next, 0x41, 16);
    PyObject_Free((char *)self - 16);
}
static PyTypeObject type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "graph.Node", .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, .tp_new = PyType_GenericNew,
    .tp_traverse = (traverseproc)traverse, .tp_clear = (inquiry)clear,
    .tp_dealloc = (destructor)dealloc,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "graph", "", -1, NULL};
PyMODINIT_FUNC PyInit_graph(void)
{
    PyObject *m = PyModule_Create(&module);
    if (PyType_Ready(&type) < 0) return NULL;
    Py_INCREF(&type);
    PyModule_AddObject(m, "Node", (PyObject *)&type);
    return m;
}
