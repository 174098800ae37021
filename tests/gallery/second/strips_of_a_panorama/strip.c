// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define WIDTH 800

typedef struct {
    PyObject_HEAD
    unsigned char pixels[WIDTH];
} Strip;

static int strip_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    static Py_ssize_t shape[1] = {WIDTH}, strides[1] = {1};

    view->obj = self;
    view->buf = ((Strip *)self)->pixels;
    view->len = WIDTH;
    view->itemsize = 1;
    view->readonly = 0;
    view->ndim = 1;
    view->format = "B";
    view->shape = shape;
    view->strides = strides;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static PyBufferProcs strip_buffer = {strip_getbuffer, NULL};

static PyTypeObject StripType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "strip.Strip",
    .tp_basicsize = sizeof(Strip),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_as_buffer = &strip_buffer,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "strip", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_strip(void)
{
    PyObject *made;

    if (PyType_Ready(&StripType) < 0 || !(made = PyModule_Create(&module)))
        return NULL;
    Py_INCREF(&StripType);
    PyModule_AddObject(made, "Strip", (PyObject *)&StripType);
    return made;
}
