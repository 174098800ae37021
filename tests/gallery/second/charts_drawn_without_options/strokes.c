/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static long option(PyObject *options, const char *name, long otherwise)
{
    PyObject *value = PyDict_GetItemString(options, name);
    return value ? PyLong_AsLong(value) : otherwise;
}

static PyObject *draw(PyObject *module, PyObject *args, PyObject *options)
{
    PyObject *points;
    if (!PyArg_ParseTuple(args, "O", &points))
        return NULL;
    long width = option(options, "width", 1);
    Py_ssize_t count = PySequence_Size(points);
    if (count < 0 || PyErr_Occurred())
        return NULL;
    return PyLong_FromLong(width * count);
}

static PyMethodDef methods[] = {
    {"draw", (PyCFunction)(void (*)(void))draw, METH_VARARGS | METH_KEYWORDS, NULL}, {NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "strokes", NULL, -1, methods};

PyMODINIT_FUNC PyInit_strokes(void) { return PyModule_Create(&definition); }
