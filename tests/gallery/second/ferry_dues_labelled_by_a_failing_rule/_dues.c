// SPDX-License-Identifier: Apache-2.0
// Dues of a ferry's cargo, with a label for each line of the bill.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct { PyObject_HEAD PyObject *rule; long lines; } Bill;

static int bill_init(Bill *self, PyObject *args, PyObject *kwargs)
{
    PyObject *rule;
    if (!PyArg_ParseTuple(args, "O", &rule)) return -1;
    Py_INCREF(rule);
    Py_XSETREF(self->rule, rule);
    self->lines = 0;
    return 0;
}

static void bill_dealloc(Bill *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->rule);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* Return the text of a line: the label that the rule gives, and the dues. */
static __attribute__((noinline)) PyObject *make_line(Bill *self, PyObject *cargo, double tonnes)
{
    PyObject *label = PyObject_CallMethod(self->rule, "label", "O", cargo);
    Py_ssize_t length = PyUnicode_GET_LENGTH(label);
    PyObject *line = PyUnicode_FromFormat("%U %zd %d", label, length, (int)(tonnes * 340));
    Py_DECREF(label);
    self->lines++;
    return line;
}

static PyObject *bill_add(Bill *self, PyObject *args)
{
    PyObject *cargo;
    double tonnes;
    if (!PyArg_ParseTuple(args, "Od", &cargo, &tonnes)) return NULL;
    return make_line(self, cargo, tonnes);
}

static PyMethodDef bill_methods[] = {
    {"add", (PyCFunction)bill_add, METH_VARARGS, "Add a line; return its text."}, {NULL}};
static PyType_Slot bill_slots[] = {
    {Py_tp_init, bill_init}, {Py_tp_dealloc, bill_dealloc}, {Py_tp_methods, bill_methods},
    {Py_tp_new, PyType_GenericNew}, {0, NULL}};
static PyType_Spec bill_spec = {"_dues.Bill", sizeof(Bill), 0, Py_TPFLAGS_DEFAULT, bill_slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_dues", NULL, -1, NULL};

PyMODINIT_FUNC PyInit__dues(void)
{
    PyObject *self = PyModule_Create(&module);
    if (self) PyModule_AddObject(self, "Bill", PyType_FromSpec(&bill_spec));
    return self;
}
