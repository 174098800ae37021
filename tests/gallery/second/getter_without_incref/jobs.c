// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD PyObject *steps; } Job;
static void job_dealloc(Job *self)
{
    Py_XDECREF(self->steps);
    Py_TYPE(self)->tp_free((PyObject *)self);
}
static int job_init(Job *self, PyObject *args, PyObject *kwargs)
{
    PyObject *steps;
    if (!PyArg_ParseTuple(args, "O", &steps))
        return -1;
    self->steps = PySequence_List(steps);
    return self->steps ? 0 : -1;
}
static PyObject *job_get_steps(Job *self, void *unused) { return self->steps; }
static PyGetSetDef job_members[] = {{"steps", (getter)job_get_steps, NULL, "", NULL}, {0}};
static PyTypeObject JobType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jobs.Job",
    .tp_basicsize = sizeof(Job),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)job_init,
    .tp_dealloc = (destructor)job_dealloc,
    .tp_getset = job_members,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "jobs", "", -1, 0};
PyMODINIT_FUNC PyInit_jobs(void)
{
    if (PyType_Ready(&JobType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&JobType);
    PyModule_AddObject(made, "Job", (PyObject *)&JobType);
    return made;
}
