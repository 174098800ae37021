// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject *listener;
    long code;
    unsigned char photo[4 << 20];
} Report;

typedef struct {
    PyObject_HEAD
    Report *report;
} Reader;

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *listener;
    long code;
    if (!PyArg_ParseTuple(args, "Ol", &listener, &code))
        return NULL;
    Reader *self = (Reader *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->report = PyMem_Malloc(sizeof(Report));
    Py_INCREF(listener);
    self->report->listener = listener;
    self->report->code = code;
    memset(self->report->photo, 0x80, sizeof self->report->photo);
    return (PyObject *)self;
}

static void reader_dealloc(Reader *self)
{
    Py_CLEAR(self->report->listener);
    PyMem_Free(self->report);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Called by the interpreter in the main thread. */
static int deliver(void *argument)
{
    Report *report = argument;
    PyObject *done = PyObject_CallFunction(report->listener, "l", report->code);
    if (done == NULL)
        return -1;
    Py_DECREF(done);
    return 0;
}

static PyObject *self_test(Reader *self, PyObject *unused)
{
    if (Py_AddPendingCall(deliver, self->report) < 0) {
        PyErr_SetString(PyExc_RuntimeError, "too many reports");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef reader_methods[] = {
    {"self_test", (PyCFunction)self_test, METH_NOARGS, "Report a badge of the factory."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject ReaderType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "badges.Reader",
    .tp_basicsize = sizeof(Reader),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = reader_new,
    .tp_dealloc = (destructor)reader_dealloc,
    .tp_methods = reader_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "badges", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_badges(void)
{
    PyObject *m = PyModule_Create(&module);
    if (m == NULL || PyType_Ready(&ReaderType) < 0)
        return NULL;
    Py_INCREF(&ReaderType);
    PyModule_AddObject(m, "Reader", (PyObject *)&ReaderType);
    return m;
}
