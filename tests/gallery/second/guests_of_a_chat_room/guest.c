// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    PyObject *weakrefs;
    Py_ssize_t lines;
    char last_line[720];
} Guest;

static void guest_dealloc(PyObject *self)
{
    Py_TYPE(self)->tp_free(self);
}

static PyObject *guest_hear(PyObject *self, PyObject *args)
{
    Guest *guest = (Guest *)self;
    const char *text;

    if (!PyArg_ParseTuple(args, "s", &text))
        return NULL;
    strncpy(guest->last_line, text, sizeof guest->last_line - 1);
    return PyLong_FromSsize_t(++guest->lines);
}

static PyMethodDef guest_methods[] = {{"hear", guest_hear, METH_VARARGS, NULL}, {NULL}};

static PyTypeObject GuestType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "guest.Guest",
    .tp_basicsize = sizeof(Guest),
    .tp_weaklistoffset = offsetof(Guest, weakrefs),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = guest_dealloc,
    .tp_methods = guest_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "guest", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_guest(void)
{
    PyObject *made;

    if (PyType_Ready(&GuestType) < 0 || !(made = PyModule_Create(&module)))
        return NULL;
    Py_INCREF(&GuestType);
    PyModule_AddObject(made, "Guest", (PyObject *)&GuestType);
    return made;
}
