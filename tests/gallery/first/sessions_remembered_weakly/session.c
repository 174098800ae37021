// SPDX-License-Identifier: Apache-2.0
// A session of a chat gateway.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    PyObject *user;
    PyObject *rooms;
    long messages;
    PyObject *weakrefs;
} Session;

static PyObject *
Session_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *user;
    if (!PyArg_ParseTuple(args, "U:Session", &user))
        return NULL;
    Session *self = (Session *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(user);
    self->user = user;
    self->rooms = PyList_New(0);
    return (PyObject *)self;
}

static void
Session_dealloc(Session *self)
{
    Py_XDECREF(self->user);
    Py_XDECREF(self->rooms);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
Session_enter(Session *self, PyObject *room)
{
    if (PyList_Append(self->rooms, room) < 0)
        return NULL;
    return PyLong_FromSsize_t(PyList_GET_SIZE(self->rooms));
}

static PyObject *
Session_say(Session *self, PyObject *text)
{
    self->messages++;
    return PyUnicode_FromFormat("%U@%R: %S", self->user, self->rooms, text);
}

static PyMethodDef methods[] = {
    {"enter", (PyCFunction)Session_enter, METH_O, "Enter a room."},
    {"say", (PyCFunction)Session_say, METH_O, "Say something in all rooms."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"user", T_OBJECT_EX, offsetof(Session, user), READONLY},
    {"messages", T_LONG, offsetof(Session, messages), READONLY},
    {NULL},
};

static PyTypeObject SessionType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "session.Session",
    .tp_basicsize = sizeof(Session),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = Session_new,
    .tp_dealloc = (destructor)Session_dealloc,
    .tp_weaklistoffset = offsetof(Session, weakrefs),
    .tp_methods = methods,
    .tp_members = members,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "session", NULL, -1, NULL};

PyMODINIT_FUNC
PyInit_session(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyType_Ready(&SessionType) < 0)
        return NULL;
    Py_INCREF(&SessionType);
    PyModule_AddObject(module, "Session", (PyObject *)&SessionType);
    return module;
}
