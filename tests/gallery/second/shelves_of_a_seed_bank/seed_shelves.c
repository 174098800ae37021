// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    Py_ssize_t count;
    PyObject **samples;
} Shelf;

static int
shelf_traverse(Shelf *self, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < self->count; i++)
        Py_VISIT(self->samples[i]);
    return 0;
}

static int
shelf_clear(Shelf *self)
{
    for (Py_ssize_t i = 0; i < self->count; i++)
        Py_CLEAR(self->samples[i]);
    return 0;
}

static void
shelf_dealloc(Shelf *self)
{
    PyObject_GC_UnTrack(self);
    shelf_clear(self);
    free(self->samples);
    PyObject_GC_Del(self);
}

static Py_ssize_t
shelf_length(Shelf *self)
{
    return self->count;
}

static PySequenceMethods shelf_as_sequence = {.sq_length = (lenfunc)shelf_length};

static PyTypeObject ShelfType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "seed_shelves.Shelf",
    .tp_basicsize = sizeof(Shelf),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)shelf_traverse,
    .tp_clear = (inquiry)shelf_clear,
    .tp_dealloc = (destructor)shelf_dealloc,
    .tp_as_sequence = &shelf_as_sequence,
};

static Py_ssize_t
count_names(const char *line)
{
    char *copy = strdup(line);
    Py_ssize_t count = 0;

    for (char *name = strtok(strchr(copy, ':') + 1, ","); name; name = strtok(NULL, ","))
        count++;
    free(copy);
    return count;
}

static PyObject *
read_shelf(PyObject *module, PyObject *args)
{
    const char *line;
    PyObject *sample_type;

    if (!PyArg_ParseTuple(args, "sO", &line, &sample_type))
        return NULL;
    Shelf *shelf = PyObject_GC_New(Shelf, &ShelfType);
    if (shelf == NULL)
        return NULL;
    shelf->count = count_names(line);
    shelf->samples = malloc(shelf->count * sizeof *shelf->samples);
    PyObject_GC_Track(shelf);
    const char *name = strchr(line, ':') + 2;
    for (Py_ssize_t i = 0; i < shelf->count; i++) {
        size_t size = strcspn(name, ",");
        shelf->samples[i] = PyObject_CallFunction(sample_type, "s#", name, (Py_ssize_t)size);
        name += size + 2;
    }
    return (PyObject *)shelf;
}

static PyMethodDef methods[] = {
    {"read_shelf", read_shelf, METH_VARARGS, "A shelf with its samples."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "seed_shelves", NULL, -1, methods,
};

PyMODINIT_FUNC
PyInit_seed_shelves(void)
{
    if (PyType_Ready(&ShelfType) < 0)
        return NULL;
    return PyModule_Create(&definition);
}
