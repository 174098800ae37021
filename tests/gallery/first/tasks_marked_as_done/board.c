// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <structmember.h>
typedef struct { PyObject_HEAD long hours; PyObject *owner; char done, started; } Task;
static int task_init(Task *self, PyObject *args, PyObject *kw)
{
    PyObject *owner;
    if (!PyArg_ParseTuple(args, "Ol", &owner, &self->hours))
        return -1;
    Py_INCREF(owner);
    self->owner = owner;
    return 0;
}
static PyObject *task_start(Task *self, PyObject *none) { self->started = 1; Py_RETURN_NONE; }
/* The members in the order of the old layout: hours, done, owner. */
static PyMemberDef members[] = {
    {"hours", T_LONG, sizeof(PyObject), READONLY, ""},
    {"done", T_BOOL, sizeof(PyObject) + sizeof(long), 0, ""},
    {"owner", T_OBJECT_EX, offsetof(Task, owner), READONLY, ""},
    {0}};
static PyMethodDef methods[] = {{"start", (PyCFunction)task_start, METH_NOARGS, ""}, {0}};
static PyTypeObject TaskType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "board.Task", .tp_basicsize = sizeof(Task),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_init = (initproc)task_init,
    .tp_members = members, .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "board", "", -1, 0};
PyMODINIT_FUNC PyInit_board(void)
{
    if (PyType_Ready(&TaskType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&TaskType);
    PyModule_AddObject(made, "Task", (PyObject *)&TaskType);
    return made;
}
