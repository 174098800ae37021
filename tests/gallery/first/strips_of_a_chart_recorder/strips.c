// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct { PyObject_HEAD Py_ssize_t count; short *samples; } Strip;

static int strip_init(Strip *self, PyObject *args, PyObject *kwargs)
{
    if (!PyArg_ParseTuple(args, "n", &self->count)) return -1;
    self->samples = malloc(self->count * sizeof(short));
    if (!self->samples) { PyErr_NoMemory(); return -1; }
    for (Py_ssize_t at = 0; at < self->count; at++) self->samples[at] = at * 31 % 977;
    return 0;
}

static void strip_dealloc(Strip *self)
{
    free(self->samples);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *strip_peak(Strip *self, PyObject *unused)
{
    short peak = 0;
    for (Py_ssize_t at = 0; at < self->count; at++)
        if (self->samples[at] > peak) peak = self->samples[at];
    return PyLong_FromLong(peak);
}

static int strip_buffer(Strip *self, Py_buffer *view, int flags)
{
    view->buf = self->samples;
    view->obj = (PyObject *)self;
    view->len = self->count * sizeof(short);
    view->itemsize = 1;
    view->readonly = 1;
    view->ndim = 1;
    view->format = NULL;
    view->shape = (flags & PyBUF_ND) ? &view->len : NULL;
    view->strides = NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static PyBufferProcs strip_as_buffer = {(getbufferproc)strip_buffer, NULL};
static PyMethodDef strip_methods[] = {{"peak", (PyCFunction)strip_peak, METH_NOARGS, ""}, {0}};
static PyTypeObject StripType = {
    PyVarObject_HEAD_INIT(NULL, 0) .tp_name = "strips.Strip",
    .tp_basicsize = sizeof(Strip),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)strip_init,
    .tp_dealloc = (destructor)strip_dealloc,
    .tp_as_buffer = &strip_as_buffer,
    .tp_methods = strip_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "strips", "", -1, NULL};

PyMODINIT_FUNC PyInit_strips(void)
{
    if (PyType_Ready(&StripType) < 0) return NULL;
    PyObject *made = PyModule_Create(&module);
    if (!made) return NULL;
    Py_INCREF(&StripType);
    PyModule_AddObject(made, "Strip", (PyObject *)&StripType);
    return made;
}
