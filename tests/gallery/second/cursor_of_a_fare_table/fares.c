// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct {
    long base;
    long step;
} FaresState;

typedef struct {
    PyObject_HEAD
    long row;
} Cursor;

static PyObject *next_fare(PyObject *self, PyObject *unused)
{
    FaresState *state = PyType_GetModuleState(Py_TYPE(self));
    Cursor *cursor = (Cursor *)self;
    return PyLong_FromLong(state->base + state->step * cursor->row++);
}

static void cursor_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef cursor_methods[] = {
    {"next_fare", next_fare, METH_NOARGS, "The fare of the next row."},
    {NULL},
};

static PyType_Slot cursor_slots[] = {
    {Py_tp_methods, cursor_methods},
    {Py_tp_dealloc, cursor_dealloc},
    {0, NULL},
};

static PyType_Spec cursor_spec = {
    "fares.Cursor", sizeof(Cursor), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, cursor_slots,
};

static int fill(PyObject *module)
{
    FaresState *state = PyModule_GetState(module);
    state->base = 210;
    state->step = 35;
    PyObject *type = PyType_FromModuleAndSpec(module, &cursor_spec, NULL);
    return type == NULL ? -1 : PyModule_AddObject(module, "Cursor", type);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
static PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "fares", NULL, sizeof(FaresState), NULL, slots,
};

PyMODINIT_FUNC PyInit_fares(void)
{
    return PyModuleDef_Init(&module);
}
