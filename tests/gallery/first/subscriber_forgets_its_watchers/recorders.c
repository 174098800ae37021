// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>

typedef struct {
    PyObject_HEAD
    Py_ssize_t count;
    double *samples;
    PyObject *weaklist;
    double limits[40];
    char unit[24];
} Recorder;

static int init(Recorder *self, PyObject *args, PyObject *kwargs)
{
    if (!PyArg_ParseTuple(args, "n", &self->count)) return -1;
    self->samples = calloc(self->count, sizeof(double));
    return self->samples ? 0 : (PyErr_NoMemory(), -1);
}

static void dealloc(Recorder *self)
{
    free(self->samples);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *put(Recorder *self, PyObject *args)
{
    Py_ssize_t at;
    double value;
    if (!PyArg_ParseTuple(args, "nd", &at, &value)) return NULL;
    if (at >= 0 && at < self->count) self->samples[at] = value;
    Py_RETURN_NONE;
}

static PyObject *peak(Recorder *self, PyObject *none)
{
    double best = 0;
    for (Py_ssize_t at = 0; at < self->count; at++)
        if (self->samples[at] > best) best = self->samples[at];
    return PyFloat_FromDouble(best);
}

static PyMethodDef recorder_methods[] = {
    {"put", (PyCFunction)put, METH_VARARGS, ""}, {"peak", (PyCFunction)peak, METH_NOARGS, ""}, {0}};
static PyTypeObject RecorderType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "recorders.Recorder", .tp_basicsize = sizeof(Recorder),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_weaklistoffset = offsetof(Recorder, weaklist),
    .tp_new = PyType_GenericNew, .tp_init = (initproc)init, .tp_dealloc = (destructor)dealloc,
    .tp_methods = recorder_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "recorders", "", -1, NULL};

PyMODINIT_FUNC PyInit_recorders(void)
{
    if (PyType_Ready(&RecorderType) < 0) return NULL;
    PyObject *self = PyModule_Create(&module);
    if (!self) return NULL;
    Py_INCREF(&RecorderType);
    PyModule_AddObject(self, "Recorder", (PyObject *)&RecorderType);
    return self;
}
