/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

static void draw_bars(char *pixels, Py_ssize_t width, Py_ssize_t height, PyObject *values)
{
    Py_ssize_t bars = PyList_Size(values);
    for (Py_ssize_t y = 0; y < height; y++)
        for (Py_ssize_t x = 0; x < width; x++) {
            long value = PyLong_AsLong(PyList_GetItem(values, x * bars / width));
            pixels[y * width + x] = y * 10 > (10 - value) * height ? 0x20 : (char)0xff;
        }
}

static PyObject *draw(PyObject *self, PyObject *args)
{
    PyObject *values;
    Py_ssize_t width, height;
    if (!PyArg_ParseTuple(args, "O!nn", &PyList_Type, &values, &width, &height))
        return NULL;
    PyObject *picture = PyBytes_FromStringAndSize(NULL, width * height);
    draw_bars(((PyBytesObject *)picture)->ob_sval, width, height, values);
    return picture;
}

static PyMethodDef methods[] = {{"draw", draw, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "chart", NULL, -1, methods};
PyMODINIT_FUNC PyInit_chart(void) { return PyModule_Create(&module); }
