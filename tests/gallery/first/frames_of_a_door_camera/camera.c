// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    unsigned char *pixels;
    Py_ssize_t size, shape[2], strides[2];
    char place[180];
} Frame;

static int frame_init(Frame *self, PyObject *args, PyObject *kw)
{
    const char *place;
    Py_ssize_t width, height;
    if (!PyArg_ParseTuple(args, "snn", &place, &width, &height))
        return -1;
    strncpy(self->place, place, sizeof self->place - 1);
    self->shape[0] = height; self->shape[1] = width;
    self->strides[0] = width; self->strides[1] = 1;
    self->size = width * height;
    self->pixels = malloc(self->size);
    for (Py_ssize_t i = 0; i < self->size; i++)
        self->pixels[i] = (unsigned char)(i * 31 + i / width);
    return 0;
}

static void frame_dealloc(Frame *self)
{
    free(self->pixels);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int frame_getbuffer(Frame *self, Py_buffer *view, int flags)
{
    memset(view, 0, sizeof *view);
    view->obj = (PyObject *)self;
    view->buf = self->pixels;
    view->len = self->size;
    view->itemsize = 1;
    view->readonly = 1;
    view->format = flags & PyBUF_FORMAT ? "B" : NULL;
    view->ndim = 2;
    view->shape = flags & PyBUF_ND ? self->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL;
    return 0;
}

static PyBufferProcs as_buffer = {(getbufferproc)frame_getbuffer, NULL};
static PyTypeObject FrameType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "camera.Frame",
    .tp_basicsize = sizeof(Frame), .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew, .tp_init = (initproc)frame_init,
    .tp_dealloc = (destructor)frame_dealloc, .tp_as_buffer = &as_buffer,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "camera", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_camera(void)
{
    PyObject *it = PyModule_Create(&module);
    if (PyType_Ready(&FrameType) < 0) return NULL;
    Py_INCREF(&FrameType);
    PyModule_AddObject(it, "Frame", (PyObject *)&FrameType);
    return it;
}
