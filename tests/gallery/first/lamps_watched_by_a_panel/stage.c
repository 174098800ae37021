// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <structmember.h>
typedef struct { PyObject_HEAD PyObject *label; PyObject *watchers; double level; } Lamp;
static int lamp_init(Lamp *self, PyObject *args, PyObject *kw)
{
    PyObject *label;
    if (!PyArg_ParseTuple(args, "U", &label))
        return -1;
    Py_INCREF(label);
    self->label = label;
    return 0;
}
static void lamp_dealloc(Lamp *self)
{
    Py_XDECREF(self->label);
    Py_TYPE(self)->tp_free((PyObject *)self);
}
static PyMemberDef members[] = {{"label", T_OBJECT_EX, offsetof(Lamp, label), READONLY, ""}, {0}};
static PyTypeObject LampType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "stage.Lamp", .tp_basicsize = sizeof(Lamp),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_init = (initproc)lamp_init,
    .tp_dealloc = (destructor)lamp_dealloc, .tp_members = members,
    .tp_weaklistoffset = offsetof(Lamp, watchers)};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "stage", "", -1, 0};
PyMODINIT_FUNC PyInit_stage(void)
{
    if (PyType_Ready(&LampType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&LampType);
    PyModule_AddObject(made, "Lamp", (PyObject *)&LampType);
    return made;
}
