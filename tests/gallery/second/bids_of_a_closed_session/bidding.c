// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

struct watch {
    void (*notify)(struct watch *watch, long lot, long amount);
    PyObject *target;
    char pad[80];
};

struct event {
    struct watch *watch;
    long lot, amount;
};

typedef struct {
    PyObject_HEAD
    struct watch *watch;
    struct event events[256];
    int first, last;
    char **titles;
    Py_ssize_t count;
} Client;

static void notify_python(struct watch *watch, long lot, long amount)
{
    PyObject *answer = PyObject_CallFunction(watch->target, "ll", lot, amount);
    if (answer == NULL)
        PyErr_WriteUnraisable(watch->target);
    Py_XDECREF(answer);
}

static PyObject *client_watch(Client *self, PyObject *target)
{
    struct watch *watch = calloc(1, sizeof *watch);
    watch->notify = notify_python;
    Py_INCREF(target);
    watch->target = target;
    self->watch = watch;
    return PyLong_FromVoidPtr(watch);
}

static PyObject *client_unwatch(Client *self, PyObject *handle)
{
    struct watch *watch = PyLong_AsVoidPtr(handle);
    Py_CLEAR(watch->target);
    free(watch);
    self->watch = NULL;
    Py_RETURN_NONE;
}

static PyObject *client_post(Client *self, PyObject *args)
{
    struct event event = {self->watch};
    if (!PyArg_ParseTuple(args, "ll", &event.lot, &event.amount))
        return NULL;
    if (event.watch != NULL)
        self->events[self->last++ % 256] = event;
    Py_RETURN_NONE;
}

static PyObject *client_deliver(Client *self, PyObject *limit)
{
    long left = PyLong_AsLong(limit);
    while (left-- > 0 && self->first < self->last) {
        struct event *event = &self->events[self->first++ % 256];
        event->watch->notify(event->watch, event->lot, event->amount);
        if (PyErr_Occurred())
            return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *client_catalogue(Client *self, PyObject *titles)
{
    Py_ssize_t size = 0;
    self->count = PyList_Size(titles);
    self->titles = realloc(self->titles, self->count * sizeof(char *));
    for (Py_ssize_t i = 0; i < self->count; i++) {
        self->titles[i] = strndup(PyBytes_AS_STRING(PyList_GET_ITEM(titles, i)), 95);
        size += strlen(self->titles[i]);
    }
    return PyLong_FromSsize_t(size);
}

static PyMethodDef client_methods[] = {
    {"watch", (PyCFunction)client_watch, METH_O, NULL},
    {"unwatch", (PyCFunction)client_unwatch, METH_O, NULL},
    {"post", (PyCFunction)client_post, METH_VARARGS, NULL},
    {"deliver", (PyCFunction)client_deliver, METH_O, NULL},
    {"catalogue", (PyCFunction)client_catalogue, METH_O, NULL},
    {NULL},
};

static PyTypeObject ClientType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "bidding.Client",
    .tp_basicsize = sizeof(Client),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_methods = client_methods,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "bidding", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_bidding(void)
{
    if (PyType_Ready(&ClientType) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&ClientType);
    PyModule_AddObject(m, "Client", (PyObject *)&ClientType);
    return m;
}
