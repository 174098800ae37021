// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    Py_ssize_t count, room;
    Py_ssize_t first; /* the line shown on top; -1: the last page */
    int *widths;
} Pager;

static PyObject *pager_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Pager *self = (Pager *)type->tp_alloc(type, 0);
    if (self != NULL)
        self->first = -1;
    return (PyObject *)self;
}

static void pager_dealloc(Pager *self)
{
    free(self->widths);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *add(Pager *self, PyObject *args)
{
    int width;
    if (!PyArg_ParseTuple(args, "i", &width))
        return NULL;
    if (self->count == self->room) {
        Py_ssize_t room = self->room * 2 + 64;
        int *widths = realloc(self->widths, room * sizeof *widths);
        if (widths == NULL)
            return PyErr_NoMemory();
        self->widths = widths;
        self->room = room;
    }
    self->widths[self->count++] = width;
    Py_RETURN_NONE;
}

/* Return the width of a page's widest line, by default of the last page's. */
static PyObject *show(Pager *self, PyObject *args)
{
    if (!PyArg_ParseTuple(args, "|i", &self->first))
        return NULL;
    Py_ssize_t first = self->first == -1 ? self->count - 20 : self->first;
    int widest = 0;
    for (Py_ssize_t i = 0; i < 20; i++)
        if (self->widths[first + i] > widest)
            widest = self->widths[first + i];
    return PyLong_FromLong(widest);
}

static PyMethodDef pager_methods[] = {
    {"add", (PyCFunction)add, METH_VARARGS, "Add a line by its width."},
    {"show", (PyCFunction)show, METH_VARARGS, "The widest line of a page."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject PagerType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "pager.Pager",
    .tp_basicsize = sizeof(Pager),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = pager_new,
    .tp_dealloc = (destructor)pager_dealloc,
    .tp_methods = pager_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pager", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_pager(void)
{
    PyObject *m = PyModule_Create(&module);
    if (m == NULL || PyType_Ready(&PagerType) < 0)
        return NULL;
    Py_INCREF(&PagerType);
    PyModule_AddObject(m, "Pager", (PyObject *)&PagerType);
    return m;
}
