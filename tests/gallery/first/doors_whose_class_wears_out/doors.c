// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    int open;
} Door;

static void
door_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    type->tp_free(self);
    Py_DECREF(type);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {{Py_tp_dealloc, door_dealloc}, {0, NULL}};
static PyType_Spec spec = {"doors.Door", sizeof(Door), 0, Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "doors", .m_size = -1};

PyMODINIT_FUNC
PyInit_doors(void)
{
    PyObject *self = PyModule_Create(&module);
    PyObject *type = PyType_FromSpec(&spec);

    if (self == NULL || type == NULL || PyModule_AddObject(self, "Door", type) < 0)
        return NULL;
    return self;
}
