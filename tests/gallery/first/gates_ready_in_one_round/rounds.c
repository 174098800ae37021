// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <sys/epoll.h>
typedef struct { PyObject_HEAD int poll; struct epoll_event events[8]; } Waiter;
static int waiter_init(Waiter *self, PyObject *args, PyObject *kw)
{
    return PyArg_ParseTuple(args, "i", &self->poll) ? 0 : -1;
}
static PyObject *waiter_wait(Waiter *self, PyObject *none)
{
    return PyLong_FromLong(epoll_wait(self->poll, self->events, 64, 0));
}
static PyObject *waiter_shown(Waiter *self, PyObject *none) { return PyLong_FromLong(self->events[0].data.fd); }
static PyMethodDef methods[] = {
    {"wait", (PyCFunction)waiter_wait, METH_NOARGS, ""}, {"shown", (PyCFunction)waiter_shown, METH_NOARGS, ""}, {0}};
static PyTypeObject WaiterType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rounds.Waiter", .tp_basicsize = sizeof(Waiter),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_init = (initproc)waiter_init,
    .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rounds", "", -1, 0};
PyMODINIT_FUNC PyInit_rounds(void)
{
    if (PyType_Ready(&WaiterType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&WaiterType);
    PyModule_AddObject(made, "Waiter", (PyObject *)&WaiterType);
    return made;
}
