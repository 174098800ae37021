// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdio.h>

static PyObject *read_depth(PyObject *module, PyObject *args)
{
    const char *path;
    double depth = 0;
    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%lf", &depth) != 1) {
        if (file != NULL)
            fclose(file);
        Py_RETURN_NONE;
    }
    fclose(file);
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble(depth);
}

static PyMethodDef methods[] = {
    {"read_depth", read_depth, METH_VARARGS, "The depth in a buoy's file, or None."},
    {NULL},
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "sounding", NULL, -1, methods};

PyMODINIT_FUNC PyInit_sounding(void)
{
    return PyModule_Create(&module);
}
