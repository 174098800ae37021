// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* What a loaded converter keeps: its type, the words for its states, a counter. */
typedef struct {
    PyObject *job_type;
    PyObject *prefix;
    long runs;
    double spent[10];
} State;

typedef struct {
    PyObject_HEAD
    PyObject *name;
    State *state;
} Job;

static void job_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((Job *)self)->name);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *job_run(PyObject *self, PyObject *unused)
{
    Job *job = (Job *)self;
    job->state->runs++;
    return PyUnicode_Concat(job->state->prefix, job->name);
}

static PyMethodDef job_methods[] = {
    {"run", job_run, METH_NOARGS, NULL},
    {NULL},
};

static PyType_Slot job_slots[] = {
    {Py_tp_dealloc, job_dealloc},
    {Py_tp_methods, job_methods},
    {0, NULL},
};

static PyType_Spec job_spec = {
    .name = "converter.Job",
    .basicsize = sizeof(Job),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = job_slots,
};

static PyObject *make_job(PyObject *module, PyObject *name)
{
    State *state = PyModule_GetState(module);
    Job *job = PyObject_New(Job, (PyTypeObject *)state->job_type);
    if (job != NULL) {
        Py_INCREF(name);
        job->name = name;
        job->state = state;
    }
    return (PyObject *)job;
}

static int exec_module(PyObject *module)
{
    State *state = PyModule_GetState(module);
    state->job_type = PyType_FromSpec(&job_spec);
    state->prefix = PyUnicode_FromFormat("converted by %p: ", (void *)module);
    return state->job_type && state->prefix ? 0 : -1;
}

static int clear_module(PyObject *module)
{
    State *state = PyModule_GetState(module);
    if (state != NULL) {
        Py_CLEAR(state->job_type);
        Py_CLEAR(state->prefix);
    }
    return 0;
}

static void free_module(void *module)
{
    clear_module(module);
}

static PyMethodDef methods[] = {
    {"job", make_job, METH_O, NULL},
    {NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec_module},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "converter", NULL, sizeof(State), methods, slots, NULL, clear_module,
    free_module,
};

PyMODINIT_FUNC PyInit_converter(void)
{
    return PyModuleDef_Init(&definition);
}
