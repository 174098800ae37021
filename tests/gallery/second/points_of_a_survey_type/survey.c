// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    double east;
    double north;
} Point;

static int point_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    Point *point = (Point *)self;
    return PyArg_ParseTuple(args, "dd", &point->east, &point->north) ? 0 : -1;
}

static void point_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = PyType_GetSlot(type, Py_tp_free);
    Py_DECREF(type);
    release(self);
    Py_DECREF(type);
}

static PyMemberDef point_members[] = {
    {"east", T_DOUBLE, offsetof(Point, east), 0, NULL},
    {"north", T_DOUBLE, offsetof(Point, north), 0, NULL},
    {NULL},
};

static PyType_Slot point_slots[] = {
    {Py_tp_init, point_init},
    {Py_tp_dealloc, point_dealloc},
    {Py_tp_members, point_members},
    {0, NULL},
};

static PyType_Spec point_spec = {
    .name = "survey.Point",
    .basicsize = sizeof(Point),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = point_slots,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "survey", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_survey(void)
{
    PyObject *m = PyModule_Create(&module);
    PyObject *type = PyType_FromSpec(&point_spec);
    if (m == NULL || type == NULL) {
        return NULL;
    }
    PyModule_AddObject(m, "Point", type);
    return m;
}
