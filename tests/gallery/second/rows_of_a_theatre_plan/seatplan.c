// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *seats;
} Plan;

static int plan_init(Plan *self, PyObject *args, PyObject *kwargs)
{
    PyObject *rows = NULL;
    if (!PyArg_ParseTuple(args, "O", &rows))
        return -1;
    Py_XSETREF(self->seats, PySequence_List(rows));
    return self->seats ? 0 : -1;
}

static void plan_dealloc(Plan *self)
{
    Py_CLEAR(self->seats);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *plan_holder(Plan *self, PyObject *number)
{
    long place = PyLong_AsLong(number);
    PyObject *holder;
    if (place >= PyList_GET_SIZE(self->seats))
        return PyErr_Format(PyExc_IndexError, "no seat %ld", place);
    holder = PyList_GET_ITEM(self->seats, place);
    Py_INCREF(holder);
    return holder;
}

static PyMethodDef plan_methods[] = {
    {"holder", (PyCFunction)plan_holder, METH_O, "holder(number): who has booked a seat"},
    {NULL},
};

static PyTypeObject PlanType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "seatplan.Plan",
    .tp_basicsize = sizeof(Plan),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)plan_init,
    .tp_dealloc = (destructor)plan_dealloc,
    .tp_methods = plan_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "seatplan", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_seatplan(void)
{
    PyObject *made;
    if (PyType_Ready(&PlanType) < 0 || !(made = PyModule_Create(&module)))
        return NULL;
    Py_INCREF(&PlanType);
    PyModule_AddObject(made, "Plan", (PyObject *)&PlanType);
    return made;
}
