// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    int number;
    Py_ssize_t size;
    unsigned char pixels[4096];
} Frame;

static PyObject *frame_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    int number;
    if (!PyArg_ParseTuple(args, "i", &number))
        return NULL;
    Frame *self = (Frame *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->number = number;
    self->size = sizeof self->pixels;
    memset(self->pixels, number & 0x7f, sizeof self->pixels);
    return (PyObject *)self;
}

static int frame_getbuffer(PyObject *exporter, Py_buffer *view, int flags)
{
    Frame *self = (Frame *)exporter;
    if (PyBuffer_FillInfo(view, NULL, self->pixels, self->size, 0, flags) < 0)
        return -1;
    view->obj = exporter;
    return 0;
}

static PyBufferProcs frame_buffer = {frame_getbuffer, NULL};

static PyObject *frame_number(PyObject *self, void *closure)
{
    return PyLong_FromLong(((Frame *)self)->number);
}

static PyGetSetDef frame_getset[] = {{"number", frame_number}, {NULL}};

static PyTypeObject FrameType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "frames.Frame",
    .tp_basicsize = sizeof(Frame),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = frame_new,
    .tp_as_buffer = &frame_buffer,
    .tp_getset = frame_getset,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "frames", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_frames(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddType(made, &FrameType) < 0)
        Py_CLEAR(made);
    return made;
}
