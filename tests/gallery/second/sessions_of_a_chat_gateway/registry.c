// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *sessions;
} Registry;

static PyObject *registry_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Registry *self = (Registry *)type->tp_alloc(type, 0);
    if (self)
        self->sessions = PyDict_New();
    return (PyObject *)self;
}

static void registry_dealloc(Registry *self)
{
    Py_XDECREF(self->sessions);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *registry_join(Registry *self, PyObject *args)
{
    PyObject *user, *session;
    if (!PyArg_ParseTuple(args, "OO", &user, &session))
        return NULL;
    if (PyDict_SetItem(self->sessions, user, session) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *registry_find(Registry *self, PyObject *user)
{
    PyObject *session = PyDict_GetItemWithError(self->sessions, user);
    if (!session && !PyErr_Occurred())
        PyErr_SetObject(PyExc_KeyError, user);
    return session;
}

static PyObject *registry_broadcast(Registry *self, PyObject *text)
{
    PyObject *user, *session;
    Py_ssize_t at = 0;
    while (PyDict_Next(self->sessions, &at, &user, &session)) {
        PyObject *done = PyObject_CallMethod(session, "send", "O", text);
        if (!done)
            return NULL;
        Py_DECREF(done);
    }
    Py_RETURN_NONE;
}

static PyMethodDef registry_methods[] = {
    {"join", (PyCFunction)registry_join, METH_VARARGS, NULL},
    {"find", (PyCFunction)registry_find, METH_O, NULL},
    {"broadcast", (PyCFunction)registry_broadcast, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject RegistryType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "registry.Registry",
    .tp_basicsize = sizeof(Registry),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = registry_new,
    .tp_dealloc = (destructor)registry_dealloc,
    .tp_methods = registry_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "registry", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_registry(void)
{
    PyObject *made = PyModule_Create(&module);
    if (!made || PyType_Ready(&RegistryType) < 0)
        return NULL;
    Py_INCREF(&RegistryType);
    PyModule_AddObject(made, "Registry", (PyObject *)&RegistryType);
    return made;
}
