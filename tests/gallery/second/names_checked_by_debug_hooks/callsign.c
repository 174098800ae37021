// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* spell("HB9X") -> "HB9X/P", with the suffix of a portable station. */
static PyObject *spell(PyObject *self, PyObject *args)
{
    const char *sign, *suffix;
    Py_ssize_t length, extra;
    if (!PyArg_ParseTuple(args, "s#s#", &sign, &length, &suffix, &extra))
        return NULL;
    char *text = PyMem_Malloc(length + extra + 1);
    if (text == NULL)
        return PyErr_NoMemory();
    memcpy(text, sign, length);
    text[length] = '/';
    memcpy(text + length + 1, suffix, extra);
    text[length + 1 + extra] = 0;
    PyObject *made = PyUnicode_FromString(text);
    PyMem_Free(text);
    return made;
}

static PyMethodDef methods[] = {{"spell", spell, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "callsign", NULL, -1, methods};

PyMODINIT_FUNC PyInit_callsign(void)
{
    return PyModule_Create(&module);
}
