// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct {
    PyObject_HEAD
    Py_ssize_t rows;
    unsigned char *holes;
    PyObject *name;
} Tape;

static int tape_init(Tape *self, PyObject *args, PyObject *kwargs)
{
    if (!PyArg_ParseTuple(args, "On", &self->name, &self->rows))
        return -1;
    Py_INCREF(self->name);
    self->holes = PyMem_Malloc(self->rows);
    for (Py_ssize_t row = 0; row < self->rows; row++)
        self->holes[row] = (row * 37 + self->rows) & 0x1f;
    return 0;
}

static void tape_dealloc(Tape *self)
{
    PyMem_Free(self->holes);
    Py_CLEAR(self->name);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int tape_getbuffer(Tape *self, Py_buffer *view, int flags)
{
    static Py_ssize_t one = 1;
    view->buf = self->holes;
    view->obj = (PyObject *)self;
    view->len = self->rows;
    view->itemsize = 1;
    view->readonly = 1;
    view->ndim = 1;
    view->format = "B";
    view->shape = &self->rows;
    view->strides = &one;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static Py_ssize_t tape_length(Tape *self) { return self->rows; }
static PyObject *tape_name(Tape *self, void *closure) { Py_INCREF(self->name); return self->name; }

static PyBufferProcs buffer = {(getbufferproc)tape_getbuffer, NULL};
static PySequenceMethods sequence = {.sq_length = (lenfunc)tape_length};
static PyGetSetDef getters[] = {{"name", (getter)tape_name}, {NULL}};
static PyTypeObject type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "loom.Tape", .tp_basicsize = sizeof(Tape), .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)tape_dealloc, .tp_as_buffer = &buffer, .tp_as_sequence = &sequence,
    .tp_getset = getters, .tp_init = (initproc)tape_init, .tp_new = PyType_GenericNew,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "loom", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_loom(void)
{
    PyObject *result = PyModule_Create(&module);
    if (PyType_Ready(&type) < 0 || PyModule_AddObject(result, "Tape", (PyObject *)&type) < 0)
        return NULL;
    return result;
}
