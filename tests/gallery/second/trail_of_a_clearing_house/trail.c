// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdio.h>

typedef struct {
    PyObject_HEAD
    char *text;
    size_t used, size;
} Line;

static PyObject *line_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "n", &size))
        return NULL;
    Line *self = (Line *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->text = PyMem_RawMalloc(size);
    self->size = size;
    return (PyObject *)self;
}

static void line_dealloc(Line *self)
{
    PyMem_RawFree(self->text);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Add what happened; what does not fit is cut off. */
static PyObject *note(Line *self, PyObject *args)
{
    const char *what, *how;
    if (!PyArg_ParseTuple(args, "ss", &what, &how))
        return NULL;
    self->used += snprintf(self->text + self->used, self->size - self->used, "%s=%s; ", what, how);
    Py_RETURN_NONE;
}

static PyObject *length(Line *self, PyObject *unused)
{
    return PyLong_FromSize_t(self->used);
}

static PyMethodDef line_methods[] = {
    {"note", (PyCFunction)note, METH_VARARGS, "Add what happened."},
    {"length", (PyCFunction)length, METH_NOARGS, "The length of the line."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject LineType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "trail.Line",
    .tp_basicsize = sizeof(Line),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = line_new,
    .tp_dealloc = (destructor)line_dealloc,
    .tp_methods = line_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "trail", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_trail(void)
{
    PyObject *m = PyModule_Create(&module);
    if (m == NULL || PyType_Ready(&LineType) < 0)
        return NULL;
    Py_INCREF(&LineType);
    PyModule_AddObject(m, "Line", (PyObject *)&LineType);
    return m;
}
