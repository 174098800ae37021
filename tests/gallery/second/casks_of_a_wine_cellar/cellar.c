// SPDX-License-Identifier: Apache-2.0
/* Casks of a cellar: a label, what it holds, and how full it is. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *label;
    double litres;
    double capacity;
} Cask;

static PyObject *cask_type;

/* What all vessels of this module do at their end. */
static void
vessel_release(PyObject *vessel)
{
    PyTypeObject *type = Py_TYPE(vessel);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    release(vessel);
    Py_DECREF(type);
}

static void
cask_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    Py_CLEAR(((Cask *)self)->label);
    vessel_release(self);
    Py_DECREF(type);
}

static int
cask_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"label", "capacity", NULL};
    Cask *cask = (Cask *)self;
    PyObject *label;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Ud", names, &label, &cask->capacity)) {
        return -1;
    }
    Py_INCREF(label);
    Py_XSETREF(cask->label, label);
    return 0;
}

static PyObject *
cask_fill(PyObject *self, PyObject *arg)
{
    Cask *cask = (Cask *)self;
    double litres = PyFloat_AsDouble(arg);

    if (litres == -1.0 && PyErr_Occurred()) {
        return NULL;
    }
    cask->litres = cask->litres + litres > cask->capacity ? cask->capacity : cask->litres + litres;
    return PyFloat_FromDouble(cask->litres);
}

static PyObject *
cask_sample(PyObject *self, PyObject *arg)
{
    Cask *cask = (Cask *)self;
    PyObject *small = PyObject_CallFunction((PyObject *)Py_TYPE(self), "Od", cask->label, 0.75);

    if (small != NULL) {
        ((Cask *)small)->litres = 0.75;
        cask->litres -= 0.75;
    }
    return small;
}

static PyMethodDef cask_methods[] = {
    {"fill", cask_fill, METH_O, "Pour litres into the cask."},
    {"sample", cask_sample, METH_NOARGS, "Draw a bottle."},
    {NULL},
};

static PyMemberDef cask_members[] = {
    {"label", T_OBJECT, offsetof(Cask, label), READONLY},
    {"litres", T_DOUBLE, offsetof(Cask, litres), READONLY},
    {NULL},
};

static PyType_Slot cask_slots[] = {
    {Py_tp_dealloc, cask_dealloc},
    {Py_tp_init, cask_init},
    {Py_tp_methods, cask_methods},
    {Py_tp_members, cask_members},
    {0, NULL},
};

static PyType_Spec cask_spec = {"cellar.Cask", sizeof(Cask), 0, Py_TPFLAGS_DEFAULT, cask_slots};

static struct PyModuleDef cellar = {PyModuleDef_HEAD_INIT, "cellar", NULL, -1};

PyMODINIT_FUNC
PyInit_cellar(void)
{
    PyObject *module = PyModule_Create(&cellar);

    cask_type = PyType_FromSpec(&cask_spec);
    Py_INCREF(cask_type);
    PyModule_AddObject(module, "Cask", cask_type);
    return module;
}
