// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD size_t rows, used; size_t *offsets; char *text; } Column;
static int column_init(Column *self, PyObject *args, PyObject *kw)
{
    if (!PyArg_ParseTuple(args, "n", &self->rows))
        return -1;
    self->used = 0;
    self->offsets = calloc(self->rows + 1, sizeof(size_t));
    self->text = malloc(self->rows * 64);
    return 0;
}
static PyObject *column_append(Column *self, PyObject *text)
{
    Py_ssize_t length;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (bytes == NULL)
        return NULL;
    if (self->used == self->rows || length > 64)
        return PyErr_Format(PyExc_IndexError, "no room for %R", text);
    memcpy(self->text + self->offsets[self->used], bytes, length);
    self->offsets[self->used + 1] = self->offsets[self->used] + length;
    self->used++;
    Py_RETURN_NONE;
}
static PyObject *column_get(Column *self, PyObject *row)
{
    size_t at = PyLong_AsSize_t(row);
    if (at >= self->used)
        return PyErr_Format(PyExc_IndexError, "no row %zu", at);
    const char *start = self->text + self->offsets[at];
    size_t length = self->offsets[at + 1] - self->offsets[at];
    unsigned sum = 0;
    for (size_t n = 0; n < length; n++)
        sum = sum * 31 + (unsigned char)start[n];
    return PyUnicode_FromFormat("%u:%d", sum, (int)length);
}
static PyObject *column_offsets(Column *self, PyObject *none) { return PyLong_FromVoidPtr(self->offsets); }
static PyMethodDef methods[] = {
    {"append", (PyCFunction)column_append, METH_O, ""}, {"get", (PyCFunction)column_get, METH_O, ""},
    {"offsets", (PyCFunction)column_offsets, METH_NOARGS, ""}, {0}};
static PyTypeObject ColumnType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "column.Column", .tp_basicsize = sizeof(Column),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_init = (initproc)column_init,
    .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "column", "", -1, 0};
PyMODINIT_FUNC PyInit_column(void)
{
    if (PyType_Ready(&ColumnType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&ColumnType);
    PyModule_AddObject(made, "Column", (PyObject *)&ColumnType);
    return made;
}
