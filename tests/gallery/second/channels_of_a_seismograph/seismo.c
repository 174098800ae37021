// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdlib.h>

typedef struct {
    PyObject_HEAD
    double *samples;
    Py_ssize_t count;
    Py_ssize_t stride;
} Trace;

static PyObject *trace_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "n", &count))
        return NULL;
    Trace *self = (Trace *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->count = count;
    self->stride = sizeof(double);
    self->samples = malloc(count * sizeof(double));
    for (Py_ssize_t at = 0; at < count; at++)
        self->samples[at] = (at * 7919 % 1013) / 1013.0;
    return (PyObject *)self;
}

static void trace_dealloc(Trace *self)
{
    free(self->samples);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int trace_getbuffer(Trace *self, Py_buffer *view, int flags)
{
    view->buf = self->samples;
    view->obj = NULL;
    view->len = self->count * sizeof(double);
    view->itemsize = sizeof(double);
    view->readonly = 1;
    view->ndim = 1;
    view->format = "d";
    view->shape = &self->count;
    view->strides = &self->stride;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static PyBufferProcs trace_buffer = {(getbufferproc)trace_getbuffer, NULL};

static PyTypeObject TraceType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "seismo.Trace",
    .tp_basicsize = sizeof(Trace),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = trace_new,
    .tp_dealloc = (destructor)trace_dealloc,
    .tp_as_buffer = &trace_buffer,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "seismo", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_seismo(void)
{
    PyObject *made = PyModule_Create(&module);
    if (!made || PyType_Ready(&TraceType) < 0)
        return NULL;
    Py_INCREF(&TraceType);
    PyModule_AddObject(made, "Trace", (PyObject *)&TraceType);
    return made;
}
