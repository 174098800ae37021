// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static PyObject *matching(PyObject *self, PyObject *args)
{
    PyObject *lines;
    const char *word;
    if (!PyArg_ParseTuple(args, "O!s", &PyList_Type, &lines, &word)) return NULL;
    Py_ssize_t count = PyList_GET_SIZE(lines), found = 0;
    PyObject *answer = PyList_New(count);
    if (!answer) return NULL;
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *line = PyList_GET_ITEM(lines, at);
        const char *text = PyUnicode_AsUTF8(line);
        if (text && strstr(text, word)) {
            Py_INCREF(line);
            PyList_SET_ITEM(answer, found++, line);
        }
    }
    return answer;
}

static PyMethodDef methods[] = {{"matching", matching, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "grepper", "", -1, methods};
PyMODINIT_FUNC PyInit_grepper(void) { return PyModule_Create(&module); }
