/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

typedef struct { PyObject_HEAD Py_buffer view; } reader;
static PyTypeObject reader_type;

static void reader_dealloc(reader *self)
{
    PyBuffer_Release(&self->view);
    PyObject_Free(self);
}

static PyObject *open_reader(PyObject *self, PyObject *frame)
{
    reader *made = PyObject_New(reader, &reader_type);
    if (made && PyObject_GetBuffer(frame, &made->view, PyBUF_SIMPLE) < 0) {
        made->view.obj = NULL;
        Py_CLEAR(made);
    }
    return (PyObject *)made;
}

/* A second reader of the same frame: the view is copied as it is. */
static PyObject *fork_reader(reader *self, PyObject *unused)
{
    reader *made = PyObject_New(reader, &reader_type);
    made->view = self->view;
    return (PyObject *)made;
}

static PyObject *brightness(reader *self, PyObject *unused)
{
    unsigned long sum = 0;
    for (Py_ssize_t n = 0; n < self->view.len; n += 4096)
        sum += ((unsigned char *)self->view.buf)[n];
    return PyLong_FromUnsignedLong(sum);
}

static PyMethodDef reader_methods[] = {
    {"fork", (PyCFunction)fork_reader, METH_NOARGS, NULL},
    {"brightness", (PyCFunction)brightness, METH_NOARGS, NULL},
    {NULL},
};
static PyTypeObject reader_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "video.Reader",
    .tp_basicsize = sizeof(reader),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)reader_dealloc,
    .tp_methods = reader_methods,
};
static PyMethodDef methods[] = {{"open_reader", open_reader, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "video", NULL, -1, methods};
PyMODINIT_FUNC PyInit_video(void)
{
    return PyType_Ready(&reader_type) < 0 ? NULL : PyModule_Create(&module);
}
