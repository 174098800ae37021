// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD char *title; unsigned char pixels[80]; } Frame;
static int frame_init(Frame *self, PyObject *args, PyObject *kw)
{
    int base;
    if (!PyArg_ParseTuple(args, "i", &base))
        return -1;
    self->title = strdup("hall 7, north wall");
    for (int n = 0; n < 80; n++)
        self->pixels[n] = base + n % 9;
    return 0;
}
static void frame_dealloc(Frame *self)
{
    free(self->title);
    Py_TYPE(self)->tp_free((PyObject *)self);
}
static int frame_getbuffer(Frame *self, Py_buffer *view, int flags)
{
    memset(view, 0, sizeof *view);
    view->buf = self->pixels;
    view->len = sizeof self->pixels;
    view->itemsize = 1;
    view->ndim = 1;
    view->readonly = 1;
    view->format = "B";
    view->shape = &view->len;
    view->strides = &view->itemsize;
    view->obj = (PyObject *)self;
    return 0;
}
static PyObject *frame_title(Frame *self, PyObject *none) { return PyUnicode_FromString(self->title); }
static PyBufferProcs buffer = {(getbufferproc)frame_getbuffer, NULL};
static PyMethodDef methods[] = {{"caption", (PyCFunction)frame_title, METH_NOARGS, ""}, {0}};
static PyTypeObject FrameType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "thermal.Frame", .tp_basicsize = sizeof(Frame),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_init = (initproc)frame_init,
    .tp_dealloc = (destructor)frame_dealloc, .tp_as_buffer = &buffer, .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "thermal", "", -1, 0};
PyMODINIT_FUNC PyInit_thermal(void)
{
    if (PyType_Ready(&FrameType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&FrameType);
    PyModule_AddObject(made, "Frame", (PyObject *)&FrameType);
    return made;
}
