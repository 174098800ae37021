// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD struct { long length; } *data; } Line;
static PyObject *make(PyTypeObject *type, PyObject *a, PyObject *k)
{
    Line *self = (Line *)type->tp_alloc(type, 0);
    self->data = calloc(1, 64);
    return (PyObject *)self;
}
static PyTypeObject type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "shapes.Line", .tp_basicsize = sizeof(Line),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = make,
};
static PyObject *length_of(PyObject *self, PyObject *one) { return PyLong_FromLong(((Line *)one)->data->length); }
static PyMethodDef methods[] = {{"length_of", length_of, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "shapes", "", -1, methods};
PyMODINIT_FUNC PyInit_shapes(void)
{
    PyObject *m = PyModule_Create(&module);
    PyType_Ready(&type);
    Py_INCREF(&type);
    PyModule_AddObject(m, "Line", (PyObject *)&type);
    return m;
}
