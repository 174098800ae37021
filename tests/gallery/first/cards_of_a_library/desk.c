// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* card(members, number) -> {"number": .., "member": ..} */
static PyObject *desk_card(PyObject *self, PyObject *args)
{
    PyObject *members, *member;
    const char *number;
    if (!PyArg_ParseTuple(args, "O!s", &PyDict_Type, &members, &number))
        return NULL;
    member = PyDict_GetItemString(members, number);
    if (member == NULL) {
        PyErr_Format(PyExc_KeyError, "no member %s", number);
        return NULL;
    }
    return Py_BuildValue("{s:s,s:N,s:i}", "number", number, "member", member, "limit", 6);
}

static PyMethodDef methods[] = {{"card", desk_card, METH_VARARGS, "The card of a member."}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "desk", NULL, -1, methods};
PyMODINIT_FUNC PyInit_desk(void) { return PyModule_Create(&module); }
