// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    int colour;
    int width;
    char pattern[48];
} Style;

static PyObject *style_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    int colour;
    if (!PyArg_ParseTuple(args, "i", &colour)) {
        return NULL;
    }
    Style *self = (Style *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->colour = colour;
        self->width = 1;
    }
    return (PyObject *)self;
}

static void style_dealloc(PyObject *self)
{
    Style *style = (Style *)self;
    memset(style->pattern, 0, sizeof style->pattern);
    style->width = 0;
    PyObject_Free(self);
}

static PyMemberDef style_members[] = {
    {"colour", T_INT, offsetof(Style, colour), READONLY, NULL},
    {"width", T_INT, offsetof(Style, width), 0, NULL},
    {NULL},
};

static PyTypeObject StyleType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "charts.Style",
    .tp_basicsize = sizeof(Style),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = style_new,
    .tp_dealloc = style_dealloc,
    .tp_members = style_members,
};

/* The style of bars that have none. */
static Style plain;

static PyObject *default_style(PyObject *self, PyObject *unused)
{
    return (PyObject *)&plain;
}

static PyMethodDef methods[] = {
    {"default_style", default_style, METH_NOARGS, NULL},
    {NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "charts", NULL, -1, methods};

PyMODINIT_FUNC PyInit_charts(void)
{
    PyObject *m;
    if (PyType_Ready(&StyleType) < 0 || (m = PyModule_Create(&module)) == NULL) {
        return NULL;
    }
    plain.colour = 16;
    plain.width = 2;
    strcpy(plain.pattern, "solid");
    PyObject_Init((PyObject *)&plain, &StyleType);
    Py_INCREF(&StyleType);
    PyModule_AddObject(m, "Style", (PyObject *)&StyleType);
    return m;
}
