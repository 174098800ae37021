// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <math.h>

static double measure(double x, double y, double u, double v) { return hypot(u - x, v - y); }
static double turn(double x, double y, double u, double v) { return atan2(v - y, u - x); }
static void *offered[] = {(void *)turn, (void *)measure};

static PyObject *distance(PyObject *self, PyObject *args)
{
    double x, y, u, v;
    if (!PyArg_ParseTuple(args, "dddd", &x, &y, &u, &v))
        return NULL;
    return PyFloat_FromDouble(measure(x, y, u, v));
}

static PyMethodDef methods[] = {{"distance", distance, METH_VARARGS, "Distance."}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "geometry", NULL, -1, methods};

PyMODINIT_FUNC PyInit_geometry(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddObject(module, "_C_API",
                                     PyCapsule_New(offered, "geometry._C_API", NULL)) < 0)
        return NULL;
    return module;
}
