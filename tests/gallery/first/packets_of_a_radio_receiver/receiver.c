// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *capture;
    const unsigned char *start, *cursor, *end;
} PacketReader;

static int reader_init(PacketReader *self, PyObject *args, PyObject *kwargs)
{
    PyObject *capture;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "O", &capture))
        return -1;
    if (PyObject_GetBuffer(capture, &view, PyBUF_SIMPLE) < 0)
        return -1;
    Py_INCREF(capture);
    self->capture = capture;
    self->start = self->cursor = view.buf;
    self->end = self->start + view.len;
    PyBuffer_Release(&view);
    return 0;
}

static void reader_dealloc(PacketReader *self)
{
    Py_CLEAR(self->capture);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *reader_next(PacketReader *self, PyObject *unused)
{
    if (self->end - self->cursor < 2)
        Py_RETURN_NONE;
    Py_ssize_t length = self->cursor[0] | self->cursor[1] << 8;
    if (self->end - self->cursor < 2 + length)
        Py_RETURN_NONE;
    self->cursor += 2 + length;
    return PyLong_FromSsize_t(length);
}

static PyObject *reader_note_growth(PacketReader *self, PyObject *size)
{
    Py_ssize_t length = PyLong_AsSsize_t(size);
    if (length < 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "negative size");
    self->end = self->start + length;
    Py_RETURN_NONE;
}

static PyMethodDef reader_methods[] = {
    {"next", (PyCFunction)reader_next, METH_NOARGS, NULL},
    {"note_growth", (PyCFunction)reader_note_growth, METH_O, NULL},
    {NULL},
};

static PyTypeObject PacketReaderType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "receiver.PacketReader",
    .tp_basicsize = sizeof(PacketReader),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)reader_init,
    .tp_dealloc = (destructor)reader_dealloc,
    .tp_methods = reader_methods,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "receiver", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_receiver(void)
{
    if (PyType_Ready(&PacketReaderType) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&PacketReaderType);
    PyModule_AddObject(m, "PacketReader", (PyObject *)&PacketReaderType);
    return m;
}
