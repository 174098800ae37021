// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    char *text;
} Label;

static int label_init(Label *self, PyObject *args, PyObject *kwargs)
{
    const char *text;
    if (!PyArg_ParseTuple(args, "s", &text))
        return -1;
    self->text = strdup(text);
    return self->text == NULL ? -1 : 0;
}

static void label_dealloc(Label *self)
{
    free(self->text);
    self->text = NULL;
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *label_width(Label *self, PyObject *unused)
{
    return PyLong_FromSize_t(strlen(self->text));
}

static PyMethodDef label_methods[] = {
    {"width", (PyCFunction)label_width, METH_NOARGS, NULL},
    {NULL},
};

static PyTypeObject LabelType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "drawers.Label",
    .tp_basicsize = sizeof(Label),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)label_init,
    .tp_dealloc = (destructor)label_dealloc,
    .tp_methods = label_methods,
};

typedef struct {
    PyObject_HEAD
    long number;
    PyObject *label;
} Drawer;

static int drawer_init(Drawer *self, PyObject *args, PyObject *kwargs)
{
    PyObject *label;
    if (!PyArg_ParseTuple(args, "lO!", &self->number, &LabelType, &label))
        return -1;
    Py_INCREF(label);
    self->label = label;
    return 0;
}

static PyObject *drawer_label(Drawer *self, void *unused)
{
    if (self->label == NULL)
        Py_RETURN_NONE;
    return self->label;
}

static void drawer_dealloc(Drawer *self)
{
    Py_CLEAR(self->label);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMemberDef drawer_members[] = {
    {"number", T_LONG, offsetof(Drawer, number), READONLY, NULL},
    {NULL},
};

static PyGetSetDef drawer_getset[] = {
    {"label", (getter)drawer_label, NULL, NULL, NULL},
    {NULL},
};

static PyTypeObject DrawerType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "drawers.Drawer",
    .tp_basicsize = sizeof(Drawer),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)drawer_init,
    .tp_dealloc = (destructor)drawer_dealloc,
    .tp_members = drawer_members,
    .tp_getset = drawer_getset,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "drawers", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_drawers(void)
{
    if (PyType_Ready(&LabelType) < 0 || PyType_Ready(&DrawerType) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&LabelType);
    PyModule_AddObject(m, "Label", (PyObject *)&LabelType);
    Py_INCREF(&DrawerType);
    PyModule_AddObject(m, "Drawer", (PyObject *)&DrawerType);
    return m;
}
