// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stddef.h>
#include "structmember.h"

typedef struct {
    PyObject_HEAD
    double degrees;
    double target;
    PyObject *references;
} Thermostat;

static PyObject *thermostat_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    double degrees;
    if (!PyArg_ParseTuple(args, "d", &degrees))
        return NULL;
    Thermostat *one = (Thermostat *)type->tp_alloc(type, 0);
    if (one)
        one->degrees = one->target = degrees;
    return (PyObject *)one;
}

static void thermostat_dealloc(Thermostat *one) { Py_TYPE(one)->tp_free(one); }

static PyMemberDef members[] = {{"degrees", T_DOUBLE, offsetof(Thermostat, degrees), 0, NULL}, {0}};
static PyTypeObject ThermostatType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "heating.Thermostat",
    .tp_basicsize = sizeof(Thermostat), .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = thermostat_new,
    .tp_dealloc = (destructor)thermostat_dealloc, .tp_members = members,
    .tp_weaklistoffset = offsetof(Thermostat, references)};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "heating", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_heating(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyType_Ready(&ThermostatType) < 0)
        return NULL;
    Py_INCREF(&ThermostatType);
    PyModule_AddObject(module, "Thermostat", (PyObject *)&ThermostatType);
    return module;
}
