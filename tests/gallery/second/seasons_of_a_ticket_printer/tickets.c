// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    long passenger;
} Ticket;

typedef struct {
    Ticket base;
    long days;
} Season;

static PyObject *ticket_type, *season_type;

static int ticket_init(Ticket *self, PyObject *args, PyObject *kwargs)
{
    return PyArg_ParseTuple(args, "l", &self->passenger) ? 0 : -1;
}

static int season_init(Season *self, PyObject *args, PyObject *kwargs)
{
    return PyArg_ParseTuple(args, "ll", &self->base.passenger, &self->days) ? 0 : -1;
}

static void ticket_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static void season_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    destructor dealloc = PyType_GetSlot((PyTypeObject *)ticket_type, Py_tp_dealloc);
    dealloc(self);
    Py_DECREF(type);
}

static PyObject *ticket_price(Ticket *self, PyObject *unused)
{
    return PyLong_FromLong(240 + self->passenger % 3 * 60);
}

static PyObject *season_price(Season *self, PyObject *unused)
{
    return PyLong_FromLong(self->days * 120);
}

static PyMethodDef ticket_methods[] = {
    {"price", (PyCFunction)ticket_price, METH_NOARGS, NULL}, {NULL}};
static PyMethodDef season_methods[] = {
    {"price", (PyCFunction)season_price, METH_NOARGS, NULL}, {NULL}};

static PyType_Slot ticket_slots[] = {
    {Py_tp_init, ticket_init}, {Py_tp_new, PyType_GenericNew}, {Py_tp_dealloc, ticket_dealloc},
    {Py_tp_methods, ticket_methods}, {0, NULL}};
static PyType_Slot season_slots[] = {
    {Py_tp_init, season_init}, {Py_tp_new, PyType_GenericNew}, {Py_tp_dealloc, season_dealloc},
    {Py_tp_methods, season_methods}, {0, NULL}};

static PyType_Spec ticket_spec = {
    "tickets.Ticket", sizeof(Ticket), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, ticket_slots};
static PyType_Spec season_spec = {
    "tickets.Season", sizeof(Season), 0, Py_TPFLAGS_DEFAULT, season_slots};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "tickets", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_tickets(void)
{
    PyObject *m = PyModule_Create(&module);
    ticket_type = PyType_FromSpec(&ticket_spec);
    PyObject *bases = PyTuple_Pack(1, ticket_type);
    season_type = PyType_FromSpecWithBases(&season_spec, bases);
    Py_DECREF(bases);
    Py_INCREF(ticket_type);
    PyModule_AddObject(m, "Ticket", ticket_type);
    PyModule_AddObject(m, "Season", season_type);
    return m;
}
