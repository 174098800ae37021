// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* read_lever(levers, name) -> whether the lever is pulled; absent levers are not. */
static PyObject *read_lever(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *levers, *state;
    int pulled;
    if (count != 2 || !PyDict_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "read_lever(levers, name)");
        return NULL;
    }
    levers = args[0];
    state = PyDict_GetItemWithError(levers, args[1]);
    if (state == NULL) {
        if (PyErr_Occurred())
            return NULL;
        return PyLong_FromLong(0);
    }
    pulled = PyObject_IsTrue(state);
    Py_DECREF(state);
    return PyLong_FromLong(pulled);
}

static PyMethodDef methods[] = {
    {"read_lever", (PyCFunction)(void (*)(void))read_lever, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "signalbox", NULL, -1, methods};

PyMODINIT_FUNC PyInit_signalbox(void)
{
    return PyModule_Create(&module);
}
