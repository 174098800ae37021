// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ctype.h>

static PyObject *
scan(PyObject *module, PyObject *args)
{
    PyObject *text, *on_word;
    Py_ssize_t at = 0, start, words = 0;

    if (!PyArg_ParseTuple(args, "YO", &text, &on_word))
        return NULL;
    const unsigned char *data = (const unsigned char *)PyByteArray_AS_STRING(text);
    Py_ssize_t size = PyByteArray_GET_SIZE(text);
    while (at < size) {
        while (at < size && !isalnum(data[at]))
            at++;
        start = at;
        while (at < size && isalnum(data[at]))
            at++;
        if (at > start) {
            PyObject *told = PyObject_CallFunction(on_word, "nn", start, at);
            if (told == NULL)
                return NULL;
            Py_DECREF(told);
            words++;
        }
    }
    return PyLong_FromSsize_t(words);
}

static PyMethodDef methods[] = {
    {"scan", scan, METH_VARARGS, "Tells each word of a text to a function."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "recipe_scanner", NULL, -1, methods,
};

PyMODINIT_FUNC
PyInit_recipe_scanner(void)
{
    return PyModule_Create(&definition);
}
