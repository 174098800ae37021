// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

typedef struct {
    PyObject_HEAD
    double *samples;
    Py_ssize_t used, room;
} Trace;

static PyObject *trace_extend(Trace *self, PyObject *values)
{
    PyObject *fast = PySequence_Fast(values, "a sequence of numbers");
    Py_ssize_t more, i;
    if (!fast)
        return NULL;
    more = PySequence_Fast_GET_SIZE(fast);
    if (self->used + more > self->room) {
        self->room = 2 * (self->used + more);
        self->samples = realloc(self->samples, self->room * sizeof(double));
    }
    for (i = 0; i < more; i++)
        self->samples[self->used++] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(fast, i));
    Py_DECREF(fast);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static int trace_getbuffer(Trace *self, Py_buffer *view, int flags)
{
    static Py_ssize_t stride = sizeof(double);
    view->buf = self->samples;
    view->obj = (PyObject *)self;
    Py_INCREF(self);
    view->len = self->used * sizeof(double);
    view->readonly = 1;
    view->itemsize = sizeof(double);
    view->format = "d";
    view->ndim = 1;
    view->shape = &self->used;
    view->strides = &stride;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static Py_ssize_t trace_length(Trace *self) { return self->used; }

static void trace_dealloc(Trace *self)
{
    free(self->samples);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyBufferProcs buffer = {(getbufferproc)trace_getbuffer, NULL};
static PySequenceMethods sequence = {.sq_length = (lenfunc)trace_length};
static PyMethodDef trace_methods[] = {
    {"extend", (PyCFunction)trace_extend, METH_O, NULL},
    {NULL},
};

static PyTypeObject TraceType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "trace.Trace",
    .tp_basicsize = sizeof(Trace),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = (destructor)trace_dealloc,
    .tp_as_buffer = &buffer,
    .tp_as_sequence = &sequence,
    .tp_methods = trace_methods,
};

static int exec_module(PyObject *module)
{
    if (PyType_Ready(&TraceType) < 0)
        return -1;
    return PyModule_AddType(module, &TraceType);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, exec_module}, {0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "trace", NULL, 0, NULL, slots};

PyMODINIT_FUNC PyInit_trace(void)
{
    return PyModuleDef_Init(&module);
}
