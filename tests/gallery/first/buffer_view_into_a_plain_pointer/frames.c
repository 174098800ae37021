/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static int header_of(const char *data, char *kind)
{
    memcpy(kind, data, 4);
    return kind[0] == 'F';
}

static PyObject *kind_of_frame(PyObject *self, PyObject *args)
{
    const char *data;
    int version = 0;
    char kind[8] = "";
    if (!PyArg_ParseTuple(args, "y*|i", &data, &version))
        return NULL;
    if (!header_of(data, kind))
        Py_RETURN_NONE;
    return PyUnicode_FromStringAndSize(kind, 4);
}

static PyMethodDef methods[] = {{"kind_of_frame", kind_of_frame, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "frames", NULL, -1, methods};
PyMODINIT_FUNC PyInit_frames(void) { return PyModule_Create(&module); }
