// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <string.h>

typedef struct clause {
    char *title;
    struct clause *next;
    int depth;
} clause;

typedef struct {
    PyObject_HEAD
    clause *first;
} TreeObject;

typedef struct {
    PyObject_HEAD
    clause *self;
} NodeObject;

static PyTypeObject TreeType, NodeType;

static PyObject *node_new(clause *which)
{
    NodeObject *node;
    if (!which)
        Py_RETURN_NONE;
    node = PyObject_New(NodeObject, &NodeType);
    if (node)
        node->self = which;
    return (PyObject *)node;
}

static PyObject *node_title(NodeObject *node, void *unused)
{
    return PyUnicode_FromString(node->self->title);
}

static PyObject *node_next(NodeObject *node, void *unused)
{
    return node_new(node->self->next);
}

static void tree_dealloc(TreeObject *tree)
{
    clause *each = tree->first;
    while (each) {
        clause *next = each->next;
        free(each->title);
        free(each);
        each = next;
    }
    PyObject_Free(tree);
}

static PyObject *tree_first(TreeObject *tree, void *unused)
{
    return node_new(tree->first);
}

static PyObject *parse(PyObject *module, PyObject *arg)
{
    const char *text = PyUnicode_AsUTF8(arg);
    TreeObject *tree;
    clause **end;
    if (!text || !(tree = PyObject_New(TreeObject, &TreeType)))
        return NULL;
    end = &tree->first;
    while (*text) {
        size_t size = strcspn(text, "\n");
        clause *made = calloc(1, sizeof *made);
        made->title = strndup(text, size);
        made->depth = (int)strspn(text, " ");
        *end = made;
        end = &made->next;
        text += size + (text[size] != 0);
    }
    *end = NULL;
    return (PyObject *)tree;
}

static PyGetSetDef node_getset[] = {
    {"title", (getter)node_title}, {"next", (getter)node_next}, {NULL}};
static PyGetSetDef tree_getset[] = {{"first", (getter)tree_first}, {NULL}};

static PyTypeObject NodeType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "clausetree.Node",
    .tp_basicsize = sizeof(NodeObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_getset = node_getset,
};
static PyTypeObject TreeType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "clausetree.Tree",
    .tp_basicsize = sizeof(TreeObject),
    .tp_dealloc = (destructor)tree_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_getset = tree_getset,
};

static PyMethodDef functions[] = {{"parse", parse, METH_O}, {NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "clausetree", NULL, -1, functions};

PyMODINIT_FUNC PyInit_clausetree(void)
{
    if (PyType_Ready(&NodeType) < 0 || PyType_Ready(&TreeType) < 0)
        return NULL;
    return PyModule_Create(&definition);
}
