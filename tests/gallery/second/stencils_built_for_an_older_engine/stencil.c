/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* As in the engine's header of version 1. */
static void **engine_api;
#define grid_size ((long (*)(void *))engine_api[0])
#define scale_cells ((void (*)(void *, long))engine_api[1])

static PyObject *smooth(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    long weight;
    if (!PyArg_ParseTuple(args, "Ol", &capsule, &weight))
        return NULL;
    void *grid = PyCapsule_GetPointer(capsule, "engine.grid");
    if (!grid)
        return NULL;
    if (grid_size(grid) > 0)
        scale_cells(grid, weight);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"smooth", smooth, METH_VARARGS, NULL}, {NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "stencil", NULL, -1, methods};

PyMODINIT_FUNC PyInit_stencil(void)
{
    engine_api = PyCapsule_Import("engine._api", 0);
    return engine_api ? PyModule_Create(&definition) : NULL;
}
