// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { PyObject_HEAD long number; PyObject *text; PyObject *owner; long colour[3]; } Label;
static PyTypeObject LabelType;
static void label_dealloc(Label *self)
{
    Py_XDECREF(self->text);
    Py_XDECREF(self->owner);
    PyObject_Free(self);
}
static PyObject *labels_make(PyObject *module, PyObject *args)
{
    PyObject *text, *owner;
    Label *self = PyObject_New(Label, &LabelType);
    if (!PyArg_ParseTuple(args, "lUO", &self->number, &text, &owner)) {
        Py_DECREF(self);
        return NULL;
    }
    Py_INCREF(text), Py_INCREF(owner);
    self->text = text, self->owner = owner;
    return (PyObject *)self;
}
static PyTypeObject LabelType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "labels.Label",
    .tp_basicsize = sizeof(Label),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)label_dealloc,
};
static PyMethodDef methods[] = {{"make", labels_make, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "labels", "", -1, methods};
PyMODINIT_FUNC PyInit_labels(void)
{
    return PyType_Ready(&LabelType) < 0 ? NULL : PyModule_Create(&module);
}
