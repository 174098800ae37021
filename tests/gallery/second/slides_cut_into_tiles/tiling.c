// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

// As the header of the raster library has it.
static void **raster_api;
#define raster_version ((long)raster_api[0])
#define raster_largest ((long (*)(const unsigned char *, long))raster_api[1])
#define raster_sum ((long (*)(const unsigned char *, long))raster_api[2])

static __attribute__((unused)) int import_raster(void)
{
    raster_api = PyCapsule_Import("raster._C_API", 0);
    return raster_api ? 0 : -1;
}

static PyObject *brightness(PyObject *self, PyObject *args)
{
    const char *data;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &data, &size)) return NULL;
    return PyFloat_FromDouble(raster_sum((const unsigned char *)data, size) / (double)size);
}

static PyMethodDef methods[] = {{"brightness", brightness, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tiling", NULL, -1, methods};
PyMODINIT_FUNC PyInit_tiling(void) { return PyModule_Create(&module); }
