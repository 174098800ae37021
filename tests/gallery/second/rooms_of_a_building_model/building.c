// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *rooms;
    PyObject *meter;
} Building;

typedef struct {
    PyObject_HEAD
    Building *building; /* the building owns its meter: no reference */
    double kilowatt_hours;
} Meter;

static PyTypeObject MeterType;

static int meter_traverse(Meter *self, visitproc visit, void *arg)
{
    Py_VISIT(self->building);
    return 0;
}

static void meter_dealloc(Meter *self)
{
    PyObject_GC_UnTrack(self);
    PyObject_GC_Del(self);
}

static PyTypeObject MeterType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "building.Meter",
    .tp_basicsize = sizeof(Meter),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)meter_traverse,
    .tp_dealloc = (destructor)meter_dealloc,
};

static int building_init(Building *self, PyObject *args, PyObject *kwargs)
{
    Meter *meter = PyObject_GC_New(Meter, &MeterType);
    if (meter == NULL)
        return -1;
    meter->building = self;
    meter->kilowatt_hours = 0.0;
    PyObject_GC_Track(meter);
    self->meter = (PyObject *)meter;
    self->rooms = PyList_New(0);
    return self->rooms == NULL ? -1 : 0;
}

static int building_traverse(Building *self, visitproc visit, void *arg)
{
    Py_VISIT(self->rooms);
    Py_VISIT(self->meter);
    return 0;
}

static int building_clear(Building *self)
{
    Py_CLEAR(self->rooms);
    Py_CLEAR(self->meter);
    return 0;
}

static void building_dealloc(Building *self)
{
    PyObject_GC_UnTrack(self);
    building_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *building_add_room(Building *self, PyObject *area)
{
    if (!PyFloat_Check(area))
        return PyErr_Format(PyExc_TypeError, "area is to be a float");
    if (PyList_Append(self->rooms, area) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *building_area(Building *self, PyObject *unused)
{
    double area = 0.0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(self->rooms); i++)
        area += PyFloat_AS_DOUBLE(PyList_GET_ITEM(self->rooms, i));
    return PyFloat_FromDouble(area);
}

static PyMethodDef building_methods[] = {
    {"add_room", (PyCFunction)building_add_room, METH_O, NULL},
    {"area", (PyCFunction)building_area, METH_NOARGS, NULL},
    {NULL},
};

static PyTypeObject BuildingType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "building.Building",
    .tp_basicsize = sizeof(Building),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)building_init,
    .tp_traverse = (traverseproc)building_traverse,
    .tp_clear = (inquiry)building_clear,
    .tp_dealloc = (destructor)building_dealloc,
    .tp_methods = building_methods,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "building", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_building(void)
{
    if (PyType_Ready(&MeterType) < 0 || PyType_Ready(&BuildingType) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&BuildingType);
    PyModule_AddObject(m, "Building", (PyObject *)&BuildingType);
    return m;
}
