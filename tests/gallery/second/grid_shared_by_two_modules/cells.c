// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { int columns, rows; double *values; } Grid;
static void grid_close(PyObject *capsule)
{
    Grid *grid = PyCapsule_GetPointer(capsule, "cells.grid.v2");
    free(grid->values);
    free(grid);
}
static PyObject *open_grid(PyObject *self, PyObject *args)
{
    Grid *grid = malloc(sizeof *grid);
    if (!PyArg_ParseTuple(args, "ii", &grid->columns, &grid->rows))
        return NULL;
    grid->values = calloc((size_t)grid->columns * grid->rows, sizeof(double));
    return PyCapsule_New(grid, "cells.grid.v2", grid_close);
}
static PyObject *heat(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    int hour;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &hour))
        return NULL;
    Grid *grid = PyCapsule_GetPointer(capsule, "cells.grid.v2");
    if (grid == NULL)
        return NULL;
    for (int n = 0; n < grid->columns * grid->rows; n++)
        grid->values[n] += hour * 0.1;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"open_grid", open_grid, METH_VARARGS, ""}, {"heat", heat, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "cells", "", -1, methods};
PyMODINIT_FUNC PyInit_cells(void) { return PyModule_Create(&module); }
