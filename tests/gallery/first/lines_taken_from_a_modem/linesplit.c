// SPDX-License-Identifier: Apache-2.0
// Splits what a modem has received into lines, and gives each to a handler.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static PyObject *
split(PyObject *module, PyObject *args)
{
    PyObject *received, *handler;
    long lines = 0;

    if (!PyArg_ParseTuple(args, "O!O:split", &PyByteArray_Type, &received, &handler))
        return NULL;
    const char *at = PyByteArray_AS_STRING(received);
    const char *end = at + PyByteArray_GET_SIZE(received);
    while (at < end) {
        const char *stop = memchr(at, '\n', end - at);
        if (!stop)
            break;
        PyObject *answer = PyObject_CallFunction(handler, "y#", at, (Py_ssize_t)(stop - at));
        if (!answer)
            return NULL;
        Py_DECREF(answer);
        lines++;
        at = stop + 1;
    }
    return PyLong_FromLong(lines);
}

static PyMethodDef methods[] = {
    {"split", split, METH_VARARGS, "Give each complete line to the handler."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "linesplit", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_linesplit(void)
{
    return PyModule_Create(&definition);
}
