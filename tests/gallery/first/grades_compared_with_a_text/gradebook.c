/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    long points;
    char *scale;
} Grade;

static int grade_init(Grade *self, PyObject *args, PyObject *kwargs)
{
    const char *scale;
    if (!PyArg_ParseTuple(args, "sl", &scale, &self->points))
        return -1;
    self->scale = strdup(scale);
    return 0;
}

static void grade_dealloc(Grade *self)
{
    PyTypeObject *type = Py_TYPE(self);
    free(self->scale);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *grade_compare(Grade *self, Grade *other, int operation)
{
    int equal = strcmp(self->scale, other->scale) == 0 && self->points == other->points;
    if (operation == Py_EQ || operation == Py_NE)
        return PyBool_FromLong(equal == (operation == Py_EQ));
    Py_RETURN_NOTIMPLEMENTED;
}

static PyMemberDef members[] = {{"points", T_LONG, offsetof(Grade, points), READONLY}, {NULL}};

static PyType_Slot slots[] = {{Py_tp_init, grade_init}, {Py_tp_dealloc, grade_dealloc},
    {Py_tp_richcompare, grade_compare}, {Py_tp_members, members}, {0, NULL}};

static PyType_Spec spec = {"gradebook.Grade", sizeof(Grade), 0, Py_TPFLAGS_DEFAULT, slots};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "gradebook", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_gradebook(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyModule_AddObject(module, "Grade", PyType_FromSpec(&spec));
    return module;
}
