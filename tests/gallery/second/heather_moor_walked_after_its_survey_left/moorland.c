#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A survey owns its heights; a walk goes over them. */

typedef struct {
    PyObject_HEAD
    Py_ssize_t count;
    double *heights;
} Survey;

typedef struct {
    PyObject_HEAD
    const double *at, *end;
    Py_ssize_t stride;
} Walk;

static PyTypeObject WalkType;

static void
survey_dealloc(Survey *self)
{
    free(self->heights);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int
survey_init(Survey *self, PyObject *args, PyObject *kwargs)
{
    if (!PyArg_ParseTuple(args, "n", &self->count))
        return -1;
    self->heights = calloc(self->count, sizeof(double));
    if (self->heights == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < self->count; i++)
        self->heights[i] = 310.0 + (double)(i * 7919 % 1013) / 10;
    return 0;
}

static PyObject *
survey_walk(Survey *self, PyObject *args)
{
    Py_ssize_t stride;

    if (!PyArg_ParseTuple(args, "n", &stride))
        return NULL;
    Walk *walk = PyObject_New(Walk, &WalkType);
    if (walk == NULL)
        return NULL;
    walk->at = self->heights;
    walk->end = self->heights + self->count;
    walk->stride = stride;
    return (PyObject *)walk;
}

static PyObject *
walk_next(Walk *self)
{
    double height;

    if (self->at >= self->end)
        return NULL;
    height = *self->at;
    self->at += self->stride;
    return PyFloat_FromDouble(height);
}

static PyMethodDef survey_methods[] = {
    {"walk", (PyCFunction)survey_walk, METH_VARARGS, "Return every n-th height."}, {NULL}};

static PyTypeObject SurveyType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "moorland.Survey",
    .tp_basicsize = sizeof(Survey),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)survey_init,
    .tp_dealloc = (destructor)survey_dealloc,
    .tp_methods = survey_methods,
};

static PyTypeObject WalkType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "moorland.Walk",
    .tp_basicsize = sizeof(Walk),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)walk_next,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "moorland", NULL, -1, NULL};

PyMODINIT_FUNC
PyInit_moorland(void)
{
    PyObject *self = PyModule_Create(&module);

    if (self == NULL || PyType_Ready(&SurveyType) < 0 || PyType_Ready(&WalkType) < 0)
        return NULL;
    Py_INCREF(&SurveyType);
    PyModule_AddObject(self, "Survey", (PyObject *)&SurveyType);
    return self;
}
