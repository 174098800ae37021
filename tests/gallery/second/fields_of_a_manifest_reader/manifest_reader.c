// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *arrival(PyObject *module, PyObject *entry)
{
    PyObject *ship, *port;
    if (!PyDict_Check(entry)) {
        PyErr_SetString(PyExc_TypeError, "a manifest is a dict");
        return NULL;
    }
    ship = PyDict_GetItemString(entry, "ship");
    port = PyDict_GetItemString(entry, "port");
    return PyUnicode_FromFormat("%s@%s", PyUnicode_AsUTF8(ship), PyUnicode_AsUTF8(port));
}

static PyMethodDef methods[] = {
    {"arrival", arrival, METH_O, "Ship and port of a manifest."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "manifest_reader", NULL, -1, methods,
};

PyMODINIT_FUNC PyInit_manifest_reader(void)
{
    return PyModule_Create(&definition);
}
