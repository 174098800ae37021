// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    unsigned char *pixels;
    Py_ssize_t size;
} Tile;

static PyObject *tile_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    Py_ssize_t side;
    if (!PyArg_ParseTuple(args, "n", &side))
        return NULL;
    Tile *tile = (Tile *)type->tp_alloc(type, 0);
    if (tile) {
        tile->size = side * side;
        tile->pixels = PyMem_Calloc(1, tile->size);
    }
    return (PyObject *)tile;
}

static void tile_dealloc(Tile *tile)
{
    PyMem_Free(tile->pixels);
    tile->pixels = NULL;
    Py_TYPE(tile)->tp_free(tile);
}

static int tile_getbuffer(Tile *tile, Py_buffer *view, int flags)
{
    view->obj = (PyObject *)tile;
    view->buf = tile->pixels;
    view->len = tile->size;
    view->itemsize = 1;
    view->readonly = 0;
    view->ndim = 1;
    view->format = flags & PyBUF_FORMAT ? "B" : NULL;
    view->shape = flags & PyBUF_ND ? &tile->size : NULL;
    view->strides = flags & PyBUF_STRIDES ? &view->itemsize : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static PyObject *tile_shade(Tile *tile, PyObject *level)
{
    long sum = 0, add = PyLong_AsLong(level);
    for (Py_ssize_t n = 0; n < tile->size; n++)
        sum += tile->pixels[n] = tile->pixels[n] / 2 + add;
    return PyLong_FromLong(sum);
}

static PyBufferProcs buffer = {(getbufferproc)tile_getbuffer, NULL};
static PyMethodDef tile_methods[] = {{"shade", (PyCFunction)tile_shade, METH_O, "Shade."}, {0}};
static PyTypeObject TileType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tiles.Tile", .tp_basicsize = sizeof(Tile),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = tile_new, .tp_methods = tile_methods,
    .tp_dealloc = (destructor)tile_dealloc, .tp_as_buffer = &buffer};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "tiles", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_tiles(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyType_Ready(&TileType) < 0)
        return NULL;
    Py_INCREF(&TileType);
    PyModule_AddObject(module, "Tile", (PyObject *)&TileType);
    return module;
}
