// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <string.h>
static const char *source;
static PyObject *set_template(PyObject *self, PyObject *text)
{
    source = PyUnicode_AsUTF8(text);
    if (source == NULL)
        return NULL;
    Py_RETURN_NONE;
}
static long places_in(const char *text, char mark)
{
    long places = 0;
    for (; *text; text++)
        if (*text == mark)
            places++;
    return places;
}
static PyObject *count_places(PyObject *self, PyObject *ignored)
{
    if (source == NULL) {
        PyErr_SetString(PyExc_ValueError, "no template");
        return NULL;
    }
    return PyLong_FromLong(places_in(source, '$'));
}
static PyMethodDef methods[] = {
    {"set_template", set_template, METH_O, ""},
    {"count_places", count_places, METH_NOARGS, ""},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "engine", "", -1, methods};
PyMODINIT_FUNC PyInit_engine(void) { return PyModule_Create(&module); }
