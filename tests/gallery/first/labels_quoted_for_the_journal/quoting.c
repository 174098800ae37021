// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* The text between quotes, those within it escaped as \u0022. */
static PyObject *quoted(PyObject *self, PyObject *text)
{
    Py_ssize_t size;
    const char *from = PyUnicode_AsUTF8AndSize(text, &size);
    if (!from) return NULL;
    char *room = PyMem_Malloc(size + 3), *to = room;
    if (!room) return PyErr_NoMemory();
    *to++ = '"';
    for (Py_ssize_t at = 0; at < size; at++) {
        if (from[at] == '"') {
            memcpy(to, "\\u0022", 6);
            to += 6;
        } else
            *to++ = from[at];
    }
    *to++ = '"';
    PyObject *answer = PyUnicode_FromStringAndSize(room, to - room);
    PyMem_Free(room);
    return answer;
}

static PyMethodDef methods[] = {{"quoted", quoted, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "quoting", "", -1, methods};
PyMODINIT_FUNC PyInit_quoting(void) { return PyModule_Create(&module); }
