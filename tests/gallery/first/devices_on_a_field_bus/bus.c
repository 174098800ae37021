// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { unsigned short address, speed; unsigned short registers[36]; } Port;
typedef struct { PyObject_HEAD PyObject *owner; Port *port; } Device;
static int device_init(Device *self, PyObject *args, PyObject *kw)
{
    int address;
    PyObject *owner;
    if (!PyArg_ParseTuple(args, "iO", &address, &owner))
        return -1;
    Py_INCREF(owner);
    self->owner = owner;
    self->port = malloc(sizeof(Port));
    self->port->address = address;
    self->port->speed = 9600;
    for (int n = 0; n < 36; n++)
        self->port->registers[n] = 0x4000 + address * 7 + n;
    return 0;
}
static int device_traverse(Device *self, visitproc visit, void *arg)
{
    Py_VISIT(self->owner);
    Py_VISIT(self->port);
    return 0;
}
static void device_dealloc(Device *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->owner);
    free(self->port);
    Py_TYPE(self)->tp_free((PyObject *)self);
}
static PyObject *device_read(Device *self, PyObject *none) { return PyLong_FromLong(self->port->registers[3]); }
static PyMethodDef methods[] = {{"read", (PyCFunction)device_read, METH_NOARGS, ""}, {0}};
static PyTypeObject DeviceType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bus.Device", .tp_basicsize = sizeof(Device),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, .tp_new = PyType_GenericNew,
    .tp_init = (initproc)device_init, .tp_dealloc = (destructor)device_dealloc,
    .tp_traverse = (traverseproc)device_traverse, .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "bus", "", -1, 0};
PyMODINIT_FUNC PyInit_bus(void)
{
    if (PyType_Ready(&DeviceType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&DeviceType);
    PyModule_AddObject(made, "Device", (PyObject *)&DeviceType);
    return made;
}
