/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

typedef struct { PyObject_HEAD PyObject *name; PyObject *after; } job;
static PyTypeObject job_type;

static int job_traverse(job *self, visitproc visit, void *arg)
{
    Py_VISIT(self->name);
    Py_VISIT(self->after);
    return 0;
}

static int job_clear(job *self)
{
    Py_CLEAR(self->name);
    Py_CLEAR(self->after);
    return 0;
}

static void job_dealloc(job *self)
{
    PyObject_GC_UnTrack(self);
    job_clear(self);
    PyObject_Free(self);
}

static PyObject *job_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *name, *after;
    if (!PyArg_ParseTuple(args, "OO", &name, &after))
        return NULL;
    job *self = PyObject_GC_New(job, &job_type);
    Py_INCREF(self->name = name);
    Py_INCREF(self->after = after);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

static PyObject *name(job *self, PyObject *unused) { Py_INCREF(self->name); return self->name; }
static PyMethodDef job_methods[] = {{"name", (PyCFunction)name, METH_NOARGS, NULL}, {NULL}};
static PyTypeObject job_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jobs.Job",
    .tp_basicsize = sizeof(job),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = job_new,
    .tp_traverse = (traverseproc)job_traverse,
    .tp_clear = (inquiry)job_clear,
    .tp_dealloc = (destructor)job_dealloc,
    .tp_methods = job_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "jobs", NULL, -1};

PyMODINIT_FUNC PyInit_jobs(void)
{
    if (PyType_Ready(&job_type) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    PyModule_AddObject(made, "Job", (PyObject *)&job_type);
    return made;
}
