// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef struct { uint64_t cell; int32_t depot; int32_t used; } Slot;
typedef struct { size_t mask; size_t filled; Slot slots[]; } Index;

__attribute__((noinline)) size_t probe_slot(Index *index, uint64_t cell)
{
    size_t at = (cell * 0x9E3779B97F4A7C15ull) >> 32 & index->mask;
    while (index->slots[at].used && index->slots[at].cell != cell)
        at = (at + 1) & index->mask;
    return at;
}

static PyObject *create(PyObject *self, PyObject *args)
{
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "n", &size))
        return NULL;
    Index *index = calloc(1, sizeof(Index) + size * sizeof(Slot));
    index->mask = size - 1;
    return PyCapsule_New(index, "geo_index", NULL);
}

static PyObject *put(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    unsigned long long cell;
    int depot;
    if (!PyArg_ParseTuple(args, "OKi", &capsule, &cell, &depot))
        return NULL;
    Index *index = PyCapsule_GetPointer(capsule, "geo_index");
    Slot *slot = &index->slots[probe_slot(index, cell)];
    slot->cell = cell;
    slot->depot = depot;
    slot->used = 1;
    index->filled++;
    Py_RETURN_NONE;
}

static PyObject *get(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    unsigned long long cell;
    if (!PyArg_ParseTuple(args, "OK", &capsule, &cell))
        return NULL;
    Index *index = PyCapsule_GetPointer(capsule, "geo_index");
    Slot *slot = &index->slots[probe_slot(index, cell)];
    return slot->used ? PyLong_FromLong(slot->depot) : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"create", create, METH_VARARGS, NULL},
    {"put", put, METH_VARARGS, NULL},
    {"get", get, METH_VARARGS, NULL},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "geo_index", NULL, -1, methods};

PyMODINIT_FUNC PyInit_geo_index(void) { return PyModule_Create(&module); }
