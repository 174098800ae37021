// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

static void **geometry_api;
#define geometry_measure ((double (*)(double, double, double, double))geometry_api[1])

int import_geometry(void)
{
    geometry_api = PyCapsule_Import("geometry._C_API", 0);
    return geometry_api ? 0 : -1;
}

static PyObject *length(PyObject *self, PyObject *stops)
{
    double x, y, u, v, total = 0;
    for (Py_ssize_t n = 1; n < PyList_Size(stops); n++) {
        if (!PyArg_ParseTuple(PyList_GetItem(stops, n - 1), "dd", &x, &y) ||
            !PyArg_ParseTuple(PyList_GetItem(stops, n), "dd", &u, &v))
            return NULL;
        total += geometry_measure(x, y, u, v);
    }
    return PyFloat_FromDouble(total);
}

static PyMethodDef methods[] = {{"length", length, METH_O, "Length of a route."}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "routes", NULL, -1, methods};
PyMODINIT_FUNC PyInit_routes(void) { return PyModule_Create(&definition); }
