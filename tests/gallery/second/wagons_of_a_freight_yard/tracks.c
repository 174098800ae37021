// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

/* assign(track, place, wagons, name): put the wagon of that name on a place of a track. */
static PyObject *assign(PyObject *module, PyObject *arguments)
{
    PyObject *track, *wagons, *name;
    Py_ssize_t place;
    if (!PyArg_ParseTuple(arguments, "O!nO!O", &PyList_Type, &track, &place, &PyDict_Type,
                          &wagons, &name))
        return NULL;
    PyObject *wagon = PyDict_GetItemWithError(wagons, name);
    if (wagon == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, name);
        return NULL;
    }
    if (PyList_SetItem(track, place, wagon) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"assign", assign, METH_VARARGS, "Put a wagon on a place of a track."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "tracks", NULL, -1, methods};

PyMODINIT_FUNC PyInit_tracks(void)
{
    return PyModule_Create(&definition);
}
