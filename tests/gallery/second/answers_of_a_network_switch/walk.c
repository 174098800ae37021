// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

static int set_string(PyObject *object, const char *name, const char *text, int length)
{
    int done = -1;
    if (object && name) {
        PyObject *value = Py_BuildValue("s#", text, length);
        done = PyObject_SetAttrString(object, name, value);
        Py_DECREF(value);
    }
    return done;
}

static PyObject *host(PyObject *self, PyObject *unused) { return Py_BuildValue("s", "switch-7"); }

static PyObject *fill(PyObject *self, PyObject *args)
{
    PyObject *interface;
    int index;
    char text[32];
    if (!PyArg_ParseTuple(args, "Oi", &interface, &index)) return NULL;
    int length = snprintf(text, sizeof text, "eth%d", index);
    set_string(interface, "type", "OCTETSTR", 8);
    set_string(interface, "value", text, length);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"host", host, METH_NOARGS, NULL}, {"fill", fill, METH_VARARGS, NULL}, {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "walk", NULL, -1, methods};
PyMODINIT_FUNC PyInit_walk(void) { return PyModule_Create(&module); }
