// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>

struct waypoint {
    char name[24];
    float latitude, longitude;
    struct waypoint *next;
};

typedef struct {
    PyObject_HEAD
    float home_latitude, home_longitude;
    struct waypoint *first;
    struct waypoint **tail;
} Plan;

static int plan_init(Plan *self, PyObject *args, PyObject *kwargs)
{
    self->first = NULL;
    self->tail = &self->first;
    return 0;
}

static PyObject *plan_add(Plan *self, PyObject *args)
{
    const char *name;
    struct waypoint *waypoint = PyMem_Calloc(1, sizeof *waypoint);
    if (waypoint == NULL)
        return PyErr_NoMemory();
    if (!PyArg_ParseTuple(args, "sff", &name, &waypoint->latitude, &waypoint->longitude)) {
        PyMem_Free(waypoint);
        return NULL;
    }
    strncpy(waypoint->name, name, sizeof waypoint->name - 1);
    *self->tail = waypoint;
    self->tail = &waypoint->next;
    Py_RETURN_NONE;
}

static PyObject *plan_move_home(Plan *self, PyObject *args)
{
    if (!PyArg_ParseTuple(args, "dd", &self->home_latitude, &self->home_longitude))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *plan_length(Plan *self, PyObject *unused)
{
    double length = 0.0;
    float latitude = self->home_latitude, longitude = self->home_longitude;
    for (struct waypoint *at = self->first; at != NULL; at = at->next) {
        length += hypot(at->latitude - latitude, at->longitude - longitude);
        latitude = at->latitude;
        longitude = at->longitude;
    }
    return PyFloat_FromDouble(length);
}

static void plan_dealloc(Plan *self)
{
    struct waypoint *at = self->first;
    while (at != NULL) {
        struct waypoint *next = at->next;
        PyMem_Free(at);
        at = next;
    }
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef plan_methods[] = {
    {"add", (PyCFunction)plan_add, METH_VARARGS, NULL},
    {"move_home", (PyCFunction)plan_move_home, METH_VARARGS, NULL},
    {"length", (PyCFunction)plan_length, METH_NOARGS, NULL},
    {NULL},
};

static PyTypeObject PlanType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "glider.Plan",
    .tp_basicsize = sizeof(Plan),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)plan_init,
    .tp_dealloc = (destructor)plan_dealloc,
    .tp_methods = plan_methods,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "glider", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_glider(void)
{
    if (PyType_Ready(&PlanType) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&PlanType);
    PyModule_AddObject(m, "Plan", (PyObject *)&PlanType);
    return m;
}
