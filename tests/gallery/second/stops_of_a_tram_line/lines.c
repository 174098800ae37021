// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD PyObject *stops; Py_ssize_t at; } Line;
static int line_init(Line *self, PyObject *args, PyObject *kw)
{
    PyObject *stops;
    if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &stops))
        return -1;
    self->stops = Py_NewRef(stops);
    return 0;
}
static void line_dealloc(Line *self)
{
    Py_CLEAR(self->stops);
    Py_TYPE(self)->tp_free((PyObject *)self);
}
static PyObject *line_iter(PyObject *self) { return self; }
static PyObject *line_next(Line *self)
{
    if (self->at >= PyList_GET_SIZE(self->stops))
        return NULL;
    return Py_NewRef(PyList_GET_ITEM(self->stops, self->at++));
}
static PyObject *line_rewind(Line *self, PyObject *none) { self->at = 0; Py_RETURN_NONE; }
static PyObject *line_name(Line *self, PyObject *none)
{
    return PyUnicode_Concat(PyList_GET_ITEM(self->stops, 0), PyList_GET_ITEM(self->stops, PyList_GET_SIZE(self->stops) - 1));
}
static PyMethodDef methods[] = {
    {"rewind", (PyCFunction)line_rewind, METH_NOARGS, ""}, {"name", (PyCFunction)line_name, METH_NOARGS, ""}, {0}};
static PyTypeObject LineType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "lines.Line", .tp_basicsize = sizeof(Line),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_init = (initproc)line_init,
    .tp_dealloc = (destructor)line_dealloc, .tp_iter = line_iter, .tp_iternext = (iternextfunc)line_next,
    .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "lines", "", -1, 0};
PyMODINIT_FUNC PyInit_lines(void)
{
    if (PyType_Ready(&LineType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&LineType);
    PyModule_AddObject(made, "Line", (PyObject *)&LineType);
    return made;
}
