/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

struct grid {
    long size;
    double *cells;
};

static long grid_size(struct grid *grid) { return grid->size; }

static void copy_cells(struct grid *target, const struct grid *source)
{
    long size = source->size < target->size ? source->size : target->size;
    for (long i = 0; i < size; i++)
        target->cells[i] = source->cells[i];
}

static void scale_cells(struct grid *grid, long factor)
{
    for (long i = 0; i < grid->size; i++)
        grid->cells[i] *= factor;
}

/* Version 2: copy_cells is new. */
static void *api[] = {(void *)grid_size, (void *)copy_cells, (void *)scale_cells, NULL};

static PyObject *new_grid(PyObject *module, PyObject *size)
{
    struct grid *grid = calloc(1, sizeof *grid);
    grid->size = PyLong_AsLong(size);
    grid->cells = calloc(grid->size, sizeof *grid->cells);
    return PyCapsule_New(grid, "engine.grid", NULL);
}

static PyObject *check(PyObject *module, PyObject *capsule)
{
    struct grid *grid = PyCapsule_GetPointer(capsule, "engine.grid");
    return grid ? PyLong_FromLong(grid_size(grid)) : NULL;
}

static PyMethodDef methods[] = {
    {"new_grid", new_grid, METH_O, NULL}, {"check", check, METH_O, NULL}, {NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "engine", NULL, -1, methods};

PyMODINIT_FUNC PyInit_engine(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyModule_AddObject(module, "_api", PyCapsule_New(api, "engine._api", NULL));
    return module;
}
