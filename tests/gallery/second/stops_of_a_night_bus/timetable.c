/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

static Py_ssize_t count_stops(const char *text)
{
    Py_ssize_t count = 1;
    for (; *text; text++)
        count += *text == '|';
    return count;
}

static PyObject *split(PyObject *self, PyObject *args)
{
    const char *text;
    if (!PyArg_ParseTuple(args, "s", &text))
        return NULL;
    PyObject *stops = PyList_New(count_stops(text));
    while (stops != NULL) {
        const char *end = strchr(text, '|');
        Py_ssize_t size = end ? end - text : (Py_ssize_t)strlen(text);
        PyObject *name = PyUnicode_FromStringAndSize(text, size);
        if (name == NULL || PyList_Append(stops, name) < 0)
            Py_CLEAR(stops);
        Py_XDECREF(name);
        if (end == NULL)
            break;
        text = end + 1;
    }
    return stops;
}

static PyMethodDef methods[] = {{"split", split, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "timetable", NULL, -1, methods};
PyMODINIT_FUNC PyInit_timetable(void) { return PyModule_Create(&module); }
