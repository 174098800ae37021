// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdlib.h>
#include <string.h>

/* The tree of the parser: nodes belong to their parents. */
struct node {
    char *tag;
    char *text;
    struct node *parent, *first, *next;
};

static struct node *make_node(struct node *parent, const char *tag, const char *text)
{
    struct node *node = calloc(1, sizeof *node);
    node->tag = strdup(tag);
    node->text = strdup(text);
    node->parent = parent;
    if (parent) {
        node->next = parent->first;
        parent->first = node;
    }
    return node;
}

static void free_children(struct node *node)
{
    struct node *child = node->first;
    while (child) {
        struct node *next = child->next;
        free_children(child);
        free(child->tag);
        free(child->text);
        memset(child, 0xdd, sizeof *child);
        free(child);
        child = next;
    }
    node->first = NULL;
}

typedef struct {
    PyObject_HEAD
    struct node *node;
    PyObject *document;
} Element;

static PyTypeObject ElementType;

static PyObject *wrap(struct node *node, PyObject *document)
{
    Element *made = PyObject_New(Element, &ElementType);
    if (!made)
        return NULL;
    made->node = node;
    Py_XINCREF(document);
    made->document = document;
    return (PyObject *)made;
}

static void element_dealloc(Element *self)
{
    Py_XDECREF(self->document);
    PyObject_Free(self);
}

static PyObject *element_add(Element *self, PyObject *args)
{
    const char *tag, *text;
    if (!PyArg_ParseTuple(args, "ss", &tag, &text))
        return NULL;
    return wrap(make_node(self->node, tag, text), (PyObject *)self);
}

static PyObject *element_clear(Element *self, PyObject *none)
{
    free_children(self->node);
    Py_RETURN_NONE;
}

static PyObject *element_text(Element *self, void *closure)
{
    return PyUnicode_FromString(self->node->text);
}

static PyObject *element_path(Element *self, PyObject *none)
{
    PyObject *path = PyUnicode_FromString("");
    for (struct node *node = self->node; node && path; node = node->parent)
        Py_SETREF(path, PyUnicode_FromFormat("/%s%U", node->tag, path));
    return path;
}

static PyMethodDef element_methods[] = {
    {"add", (PyCFunction)element_add, METH_VARARGS, NULL},
    {"clear", (PyCFunction)element_clear, METH_NOARGS, NULL},
    {"path", (PyCFunction)element_path, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef element_getset[] = {
    {"text", (getter)element_text, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyTypeObject ElementType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "feedtree.Element",
    .tp_basicsize = sizeof(Element),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)element_dealloc,
    .tp_methods = element_methods,
    .tp_getset = element_getset,
};

static PyObject *new_document(PyObject *module, PyObject *none)
{
    return wrap(make_node(NULL, "rss", ""), NULL);
}

static PyMethodDef methods[] = {
    {"new_document", new_document, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "feedtree", NULL, -1, methods};

PyMODINIT_FUNC PyInit_feedtree(void)
{
    if (PyType_Ready(&ElementType) < 0)
        return NULL;
    return PyModule_Create(&module);
}
