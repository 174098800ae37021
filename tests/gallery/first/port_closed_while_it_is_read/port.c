// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    PyObject_HEAD
    size_t size;
    unsigned char *buffer;
} Port;

static PyObject *
port_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    Py_ssize_t size;
    Port *self;

    if (!PyArg_ParseTuple(args, "n", &size))
        return NULL;
    self = (Port *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->size = (size_t)size;
    self->buffer = malloc(self->size);
    memset(self->buffer, 1, self->size);
    return (PyObject *)self;
}

static PyObject *
port_read(Port *self, PyObject *args)
{
    struct timespec pause = {0, 20000000};
    const unsigned char *buffer = self->buffer;
    unsigned long sum = 0;
    int rounds;

    if (!PyArg_ParseTuple(args, "i", &rounds))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (int round = 0; round < rounds; round++) {
        nanosleep(&pause, NULL);
        for (size_t n = 0; n < self->size; n += 4096)
            sum += buffer[n];
    }
    Py_END_ALLOW_THREADS
    return PyLong_FromUnsignedLong(sum);
}

static PyObject *
port_close(Port *self, PyObject *ignored)
{
    free(self->buffer);
    self->buffer = NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"read", (PyCFunction)port_read, METH_VARARGS, NULL},
    {"close", (PyCFunction)port_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject PortType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "port.Port",
    .tp_basicsize = sizeof(Port),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = port_new,
    .tp_methods = methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "port", .m_size = -1};

PyMODINIT_FUNC
PyInit_port(void)
{
    PyObject *self = PyModule_Create(&module);

    if (self == NULL || PyType_Ready(&PortType) < 0)
        return NULL;
    Py_INCREF(&PortType);
    if (PyModule_AddObject(self, "Port", (PyObject *)&PortType) < 0)
        return NULL;
    return self;
}
