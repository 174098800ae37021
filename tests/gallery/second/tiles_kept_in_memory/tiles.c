// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#define SIDE 2048

/* shade(sun): the pixels of a shaded tile, kept until the program ends. */
static PyObject *tiles_shade(PyObject *self, PyObject *args)
{
    int sun;
    if (!PyArg_ParseTuple(args, "i", &sun))
        return NULL;
    float *pixels = PyMem_RawMalloc(sizeof(float) * SIDE * SIDE);
    if (pixels == NULL)
        Py_FatalError("tile store: out of memory");
    for (long i = 0; i < (long)SIDE * SIDE; i++)
        pixels[i] = (float)((i ^ sun) & 255);
    return PyLong_FromVoidPtr(pixels);
}

static PyMethodDef methods[] = {{"shade", tiles_shade, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tiles", NULL, -1, methods};
PyMODINIT_FUNC PyInit_tiles(void) { return PyModule_Create(&module); }
