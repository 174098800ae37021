// SPDX-License-Identifier: Apache-2.0
/* Photographic plates of an observatory: their grains, and the stars found on them. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    char observer[160];
    PyObject *name;
    double *grains;
    Py_ssize_t count;
    unsigned *stars;
    Py_ssize_t found;
} Plate;

static PyTypeObject plate_type;

static void
plate_dealloc(Plate *self)
{
    free(self->grains);
    free(self->stars);
    Py_XDECREF(self->name);
    PyObject_Free(self);
}

static PyObject *
plate_expose(PyObject *module, PyObject *args)
{
    PyObject *name;
    Py_ssize_t width, height;
    Plate *self;

    if (!PyArg_ParseTuple(args, "Unn", &name, &width, &height)) {
        return NULL;
    }
    self = PyObject_New(Plate, &plate_type);
    if (self == NULL) {
        return NULL;
    }
    Py_INCREF(name);
    self->name = name;
    self->count = width * height;
    self->grains = malloc(self->count * sizeof *self->grains);
    if (self->grains == NULL) {
        PyErr_NoMemory();
        Py_DECREF(self);
        return NULL;
    }
    self->stars = malloc(4096 * sizeof *self->stars);
    self->found = 0;
    for (Py_ssize_t i = 0; i < self->count; i++) {
        self->grains[i] = (double)(i * 2654435761u % 1000) / 1000;
    }
    return (PyObject *)self;
}

static PyObject *
plate_search(Plate *self, PyObject *arg)
{
    double limit = PyFloat_AsDouble(arg);

    for (Py_ssize_t i = 0; i < self->count && self->found < 4096; i++) {
        if (self->grains[i] > limit) {
            self->stars[self->found++] = (unsigned)i;
        }
    }
    return PyLong_FromSsize_t(self->found);
}

static PyMethodDef plate_methods[] = {
    {"search", (PyCFunction)plate_search, METH_O, "Return how many stars are brighter."},
    {NULL},
};

static PyTypeObject plate_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "plate.Plate",
    .tp_basicsize = sizeof(Plate),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)plate_dealloc,
    .tp_methods = plate_methods,
};

static PyMethodDef functions[] = {
    {"expose", plate_expose, METH_VARARGS, "Return a plate of a name, a width and a height."},
    {NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "plate", NULL, -1, functions};

PyMODINIT_FUNC
PyInit_plate(void)
{
    return PyType_Ready(&plate_type) < 0 ? NULL : PyModule_Create(&definition);
}
