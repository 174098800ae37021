// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

/* What the receiver thread counts while a stream plays. */
struct meter {
    uint64_t bytes;
    uint64_t packets;
    uint64_t lost;
    uint32_t jitter, peak;
    volatile int *running;
};

static void *receive(void *given)
{
    struct meter *meter = given;
    for (int tick = 0; tick < 4000; tick++) {
        meter->bytes += 1316;
        meter->packets += 1;
        meter->lost += tick % 97 == 0;
        meter->jitter = (uint32_t)(tick * 7 % 31);
        usleep(500);
    }
    return NULL;
}

typedef struct {
    PyObject_HEAD
    struct meter *meter;
    pthread_t thread;
} Stream;

static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Stream *self = (Stream *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->meter = PyMem_Calloc(1, sizeof *self->meter);
    pthread_create(&self->thread, NULL, receive, self->meter);
    return (PyObject *)self;
}

static PyObject *stream_stop(Stream *self, PyObject *none)
{
    uint64_t bytes = self->meter ? self->meter->bytes : 0;
    if (self->meter) {
        pthread_detach(self->thread);
        PyMem_Free(self->meter);
        self->meter = NULL;
    }
    return PyLong_FromUnsignedLongLong(bytes);
}

static PyMethodDef stream_methods[] = {
    {"stop", (PyCFunction)stream_stop, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject StreamType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "netmeter.Stream",
    .tp_basicsize = sizeof(Stream),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = stream_new,
    .tp_methods = stream_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "netmeter", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_netmeter(void)
{
    PyObject *made = PyModule_Create(&module);
    if (!made || PyType_Ready(&StreamType) < 0)
        return NULL;
    Py_INCREF(&StreamType);
    PyModule_AddObject(made, "Stream", (PyObject *)&StreamType);
    return made;
}
