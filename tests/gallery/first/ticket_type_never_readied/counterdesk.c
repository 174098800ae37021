// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    long number;
} Ticket;

static PyTypeObject TicketType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "counterdesk.Ticket",
    .tp_basicsize = sizeof(Ticket),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "A place in the queue",
};

static PyObject *next_ticket(PyObject *self, PyObject *none)
{
    static long last = 100;
    Ticket *ticket = PyObject_New(Ticket, &TicketType);
    if (!ticket) return NULL;
    ticket->number = ++last;
    return (PyObject *)ticket;
}

static PyObject *number_of(PyObject *self, PyObject *ticket)
{
    return PyLong_FromLong(((Ticket *)ticket)->number);
}

static PyMethodDef methods[] = {
    {"next_ticket", next_ticket, METH_NOARGS, ""}, {"number_of", number_of, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "counterdesk", "", -1, methods};
PyMODINIT_FUNC PyInit_counterdesk(void) { return PyModule_Create(&module); }
