/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1200 };

struct line {
    char *text;
    size_t used;
};

static void line_add(struct line *line, const char *code)
{
    line->used += snprintf(line->text + line->used, ROOM - line->used, "%s/", code);
}

static PyObject *join_codes(PyObject *self, PyObject *codes)
{
    Py_ssize_t count = PyList_Size(codes);
    struct line line = {malloc(ROOM), 0};
    if (count < 0 || line.text == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        const char *code = PyUnicode_AsUTF8(PyList_GetItem(codes, i));
        if (code == NULL)
            break;
        line_add(&line, code);
    }
    PyObject *joined = PyUnicode_FromString(line.text);
    free(line.text);
    return joined;
}

static PyMethodDef methods[] = {{"join_codes", join_codes, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "labelling", NULL, -1, methods};
PyMODINIT_FUNC PyInit_labelling(void) { return PyModule_Create(&module); }
