/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

/* Frames of a camera, whose pixels are read through the buffer protocol. */

typedef struct {
    PyObject_HEAD
    unsigned char *pixels;
    Py_ssize_t width, height;
} Frame;

static PyObject *frame_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t width, height;
    int shade = 0;
    if (!PyArg_ParseTuple(args, "nn|i", &width, &height, &shade))
        return NULL;
    Frame *self = (Frame *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->width = width;
    self->height = height;
    self->pixels = malloc(width * height);
    if (self->pixels == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t row = 0; row < height; row++)
        memset(self->pixels + row * width, (int)(shade + row) & 0xff, width);
    return (PyObject *)self;
}

static PyObject *frame_recycle(Frame *self, PyObject *unused)
{
    free(self->pixels);
    self->pixels = NULL;
    self->width = self->height = 0;
    Py_RETURN_NONE;
}

static void frame_dealloc(Frame *self)
{
    PyTypeObject *type = Py_TYPE(self);
    free(self->pixels);
    type->tp_free(self);
    Py_DECREF(type);
}

static int frame_getbuffer(PyObject *exporter, Py_buffer *view, int flags)
{
    Frame *self = (Frame *)exporter;
    return PyBuffer_FillInfo(view, exporter, self->pixels, self->width * self->height, 0, flags);
}

static PyMethodDef frame_methods[] = {
    {"recycle", (PyCFunction)frame_recycle, METH_NOARGS, "Give the pixels back."},
    {NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, frame_new},
    {Py_tp_dealloc, frame_dealloc},
    {Py_tp_methods, frame_methods},
    {Py_bf_getbuffer, frame_getbuffer},
    {0, NULL},
};

static PyType_Spec spec = {
    "frames_of_a_bee_camera.Frame", sizeof(Frame), 0, Py_TPFLAGS_DEFAULT, slots,
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "frames_of_a_bee_camera", NULL, -1, NULL,
};

PyMODINIT_FUNC PyInit_frames_of_a_bee_camera(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = PyType_FromSpec(&spec);
    if (module == NULL || type == NULL || PyModule_AddObject(module, "Frame", type) < 0)
        return NULL;
    return module;
}
