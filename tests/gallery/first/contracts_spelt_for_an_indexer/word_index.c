// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static struct { char *text; Py_ssize_t size; long words; } document;

static PyObject *add(PyObject *self, PyObject *args)
{
    if (!PyArg_ParseTuple(args, "es#", "utf-8", &document.text, &document.size)) return NULL;
    long words = 0;
    for (Py_ssize_t at = 0; at < document.size; at++)
        words += document.text[at] == ' ';
    document.words += words;
    PyMem_Free(document.text);
    return PyLong_FromLong(words);
}

static PyMethodDef methods[] = {{"add", add, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "word_index", "", -1, methods};
PyMODINIT_FUNC PyInit_word_index(void) { return PyModule_Create(&module); }
