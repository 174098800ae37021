// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct { PyObject_HEAD PyObject *rows; PyObject *loader; } Tree;

static int traverse(Tree *self, visitproc visit, void *arg)
{
    Py_VISIT(self->rows);
    Py_VISIT(self->loader);
    return 0;
}

static void dealloc(Tree *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->rows);
    Py_XDECREF(self->loader);
    PyObject_GC_Del(self);
}

static PyTypeObject type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "trees.Tree", .tp_basicsize = sizeof(Tree),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, .tp_traverse = (traverseproc)traverse,
    .tp_dealloc = (destructor)dealloc,
};

static PyObject *load_tree(PyObject *self, PyObject *loader)
{
    Tree *tree = PyObject_GC_New(Tree, &type);
    if (!tree) return NULL;
    PyObject_GC_Track(tree);
    PyObject *rows = PyObject_CallFunctionObjArgs(loader, NULL);
    tree->rows = rows;
    Py_INCREF(loader);
    tree->loader = loader;
    return (PyObject *)tree;
}

static PyMethodDef methods[] = {{"load_tree", load_tree, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "trees", "", -1, methods};
PyMODINIT_FUNC PyInit_trees(void)
{
    if (PyType_Ready(&type) < 0) return NULL;
    return PyModule_Create(&module);
}
