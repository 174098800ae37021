// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct {
    double due;
    PyObject *callback;
    PyObject *args;
} Handle;

typedef struct {
    PyObject_HEAD
    double now;
    int count;
    Handle handles[256];
} Loop;

static PyObject *call_later(Loop *self, PyObject *args)
{
    double delay;
    PyObject *callback, *values = NULL;
    if (!PyArg_ParseTuple(args, "dO|O", &delay, &callback, &values))
        return NULL;
    if (self->count == 256) {
        PyErr_SetString(PyExc_OverflowError, "too many timers");
        return NULL;
    }
    Handle *handle = &self->handles[self->count++];
    handle->due = self->now + delay;
    handle->callback = callback;
    Py_XINCREF(values);
    handle->args = values;
    Py_RETURN_NONE;
}

static PyObject *advance(Loop *self, PyObject *args)
{
    double seconds;
    if (!PyArg_ParseTuple(args, "d", &seconds))
        return NULL;
    self->now += seconds;
    for (int at = 0; at < self->count;) {
        Handle handle = self->handles[at];
        if (handle.due > self->now) {
            at++;
            continue;
        }
        self->handles[at] = self->handles[--self->count];
        PyObject *done = PyObject_CallObject(handle.callback, handle.args);
        Py_XDECREF(handle.args);
        if (!done)
            return NULL;
        Py_DECREF(done);
    }
    Py_RETURN_NONE;
}

static PyMethodDef loop_methods[] = {
    {"call_later", (PyCFunction)call_later, METH_VARARGS, NULL},
    {"advance", (PyCFunction)advance, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject LoopType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "ticker.Loop",
    .tp_basicsize = sizeof(Loop),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = loop_methods,
    .tp_new = PyType_GenericNew,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "ticker", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_ticker(void)
{
    PyObject *made = PyModule_Create(&module);
    if (!made || PyType_Ready(&LoopType) < 0)
        return NULL;
    Py_INCREF(&LoopType);
    PyModule_AddObject(made, "Loop", (PyObject *)&LoopType);
    return made;
}
