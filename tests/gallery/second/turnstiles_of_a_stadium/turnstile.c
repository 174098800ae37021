// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyMutex lock;
    long places;
    long inside;
} Turnstile;

static int turnstile_init(Turnstile *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"places", NULL};
    return PyArg_ParseTupleAndKeywords(args, kwargs, "l", names, &self->places) ? 0 : -1;
}

static int admit(Turnstile *self, long ticket)
{
    if (ticket < 0) {
        PyMutex_Unlock(&self->lock);
        PyErr_Format(PyExc_ValueError, "ticket %ld", ticket);
        return -1;
    }
    if (self->inside < self->places)
        self->inside++;
    return 0;
}

static PyObject *turnstile_enter(Turnstile *self, PyObject *ticket)
{
    long number = PyLong_AsLong(ticket);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    PyMutex_Lock(&self->lock);
    int status = admit(self, number);
    PyMutex_Unlock(&self->lock);
    if (status < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *turnstile_inside(Turnstile *self, PyObject *unused)
{
    PyMutex_Lock(&self->lock);
    long inside = self->inside;
    PyMutex_Unlock(&self->lock);
    return PyLong_FromLong(inside);
}

static PyMethodDef turnstile_methods[] = {
    {"enter", (PyCFunction)turnstile_enter, METH_O, NULL},
    {"inside", (PyCFunction)turnstile_inside, METH_NOARGS, NULL},
    {NULL},
};

static PyTypeObject TurnstileType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "turnstile.Turnstile",
    .tp_basicsize = sizeof(Turnstile),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)turnstile_init,
    .tp_methods = turnstile_methods,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "turnstile", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_turnstile(void)
{
    if (PyType_Ready(&TurnstileType) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&TurnstileType);
    PyModule_AddObject(m, "Turnstile", (PyObject *)&TurnstileType);
    return m;
}
