// SPDX-License-Identifier: Apache-2.0
// Distributes what a wind farm earned among its shareholders, in whole cents.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

struct holder {
    int64_t parts;
    int64_t cents;
};

static int64_t
parts_of(const struct holder *holders, Py_ssize_t count)
{
    int64_t parts = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        parts += holders[i].parts;
    return parts;
}

static void
distribute(struct holder *holders, Py_ssize_t count, int64_t cents)
{
    int64_t parts = parts_of(holders, count);
    int64_t each = cents / parts, left = cents % parts;
    for (Py_ssize_t i = 0; i < count; i++) {
        holders[i].cents = each * holders[i].parts;
        if (left > 0 && holders[i].parts > 0) {
            holders[i].cents++;
            left--;
        }
    }
}

static PyObject *
distribute_among(PyObject *module, PyObject *args)
{
    PyObject *parts;
    long long cents;
    if (!PyArg_ParseTuple(args, "O!L:distribute_among", &PyList_Type, &parts, &cents))
        return NULL;
    Py_ssize_t count = PyList_GET_SIZE(parts);
    struct holder *holders = PyMem_Calloc(count + 1, sizeof *holders);
    for (Py_ssize_t i = 0; i < count; i++)
        holders[i].parts = PyLong_AsLongLong(PyList_GET_ITEM(parts, i));
    PyObject *answer = PyErr_Occurred() ? NULL : PyList_New(count);
    if (answer) {
        distribute(holders, count, cents);
        for (Py_ssize_t i = 0; i < count; i++)
            PyList_SET_ITEM(answer, i, PyLong_FromLongLong(holders[i].cents));
    }
    PyMem_Free(holders);
    return answer;
}

static PyMethodDef methods[] = {
    {"distribute_among", distribute_among, METH_VARARGS, "Cents for each holder."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "shares", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_shares(void)
{
    return PyModule_Create(&definition);
}
