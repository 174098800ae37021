// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <unistd.h>

static int asked;

static int line_length(int port)
{
    /* The belt stands still for a while after every 150 lines. */
    int turn = asked++ % 170;
    return turn < 150 ? 1024 + port * turn % 7 : 0;
}

static PyObject *grab(PyObject *self, PyObject *args)
{
    int port, patience, length;
    if (!PyArg_ParseTuple(args, "ii", &port, &patience)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    while ((length = line_length(port)) == 0) {
        usleep(200);
        if (--patience == 0) return PyLong_FromLong(0);
    }
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(length);
}

static PyMethodDef methods[] = {{"grab", grab, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "line_scanner", "", -1, methods};
PyMODINIT_FUNC PyInit_line_scanner(void) { return PyModule_Create(&module); }
