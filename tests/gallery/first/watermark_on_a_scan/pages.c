// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD int stride, rows; unsigned char *pixels; } Page;
static int page_init(Page *self, PyObject *args, PyObject *kw)
{
    if (!PyArg_ParseTuple(args, "ii", &self->stride, &self->rows))
        return -1;
    self->pixels = PyObject_Calloc(1, 512);
    if (self->stride * self->rows > 512) {
        PyObject_Free(self->pixels);
        self->pixels = calloc(self->rows, self->stride);
    }
    return 0;
}
static PyObject *page_line(Page *self, PyObject *args)
{
    int column, from, to, colour;
    if (!PyArg_ParseTuple(args, "iiii", &column, &from, &to, &colour))
        return NULL;
    for (int row = from; row < to; row++)
        self->pixels[(size_t)row * self->stride + column] = (unsigned char)colour;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"line", (PyCFunction)page_line, METH_VARARGS, ""}, {0}};
static PyTypeObject PageType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pages.Page", .tp_basicsize = sizeof(Page),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_init = (initproc)page_init,
    .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pages", "", -1, 0};
PyMODINIT_FUNC PyInit_pages(void)
{
    if (PyType_Ready(&PageType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&PageType);
    PyModule_AddObject(made, "Page", (PyObject *)&PageType);
    return made;
}
