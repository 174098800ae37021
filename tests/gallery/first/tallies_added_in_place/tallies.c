// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD long *counts; } Tally;
static PyObject *tally_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    Tally *self = (Tally *)type->tp_alloc(type, 0);
    if (self)
        self->counts = calloc(5, sizeof *self->counts);
    return (PyObject *)self;
}
static void tally_dealloc(Tally *self)
{
    free(self->counts);
    Py_TYPE(self)->tp_free((PyObject *)self);
}
static PyObject *tally_count(Tally *self, PyObject *number)
{
    self->counts[PyLong_AsLong(number) % 5]++;
    Py_RETURN_NONE;
}
static PyObject *tally_votes(Tally *self, PyObject *number)
{
    return PyLong_FromLong(self->counts[PyLong_AsLong(number) % 5]);
}
static PyObject *tally_iadd(Tally *self, Tally *other)
{
    for (int n = 0; n < 5; n++)
        self->counts[n] += other->counts[n];
    return (PyObject *)self;
}
static PyNumberMethods numbers = {.nb_inplace_add = (binaryfunc)tally_iadd};
static PyMethodDef methods[] = {{"count", (PyCFunction)tally_count, METH_O, ""},
                                {"votes", (PyCFunction)tally_votes, METH_O, ""}, {0}};
static PyTypeObject TallyType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tallies.Tally", .tp_basicsize = sizeof(Tally),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = tally_new, .tp_dealloc = (destructor)tally_dealloc,
    .tp_as_number = &numbers, .tp_methods = methods};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tallies", "", -1, 0};
PyMODINIT_FUNC PyInit_tallies(void)
{
    if (PyType_Ready(&TallyType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&TallyType);
    PyModule_AddObject(made, "Tally", (PyObject *)&TallyType);
    return made;
}
