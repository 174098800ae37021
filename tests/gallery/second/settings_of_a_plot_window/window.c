// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

typedef struct { long width, height; char title[64]; } WindowData;
typedef struct { PyObject_HEAD WindowData *data; } Settings;

static PyObject *settings_new(PyTypeObject *type, PyObject *args, PyObject *kwds)
{
    long width, height;
    if (!PyArg_ParseTuple(args, "ll", &width, &height)) return NULL;
    Settings *self = (Settings *)type->tp_alloc(type, 0);
    self->data = calloc(1, sizeof(WindowData));
    self->data->width = width;
    self->data->height = height;
    return (PyObject *)self;
}

static void settings_dealloc(Settings *self)
{
    free(self->data);
    Py_TYPE(self)->tp_free(self);
}

static __attribute__((noinline)) int same_window(WindowData *one, WindowData *other)
{
    return one->height == other->height && one->width == other->width;
}

static PyObject *settings_compare(PyObject *self, PyObject *other, int op)
{
    if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
    int same = same_window(((Settings *)self)->data, ((Settings *)other)->data);
    return PyBool_FromLong(op == Py_EQ ? same : !same);
}

static PyObject *get_width(Settings *self, void *unused) { return PyLong_FromLong(self->data->width); }
static PyObject *get_height(Settings *self, void *unused) { return PyLong_FromLong(self->data->height); }
static PyGetSetDef fields[] = {{"width", (getter)get_width}, {"height", (getter)get_height}, {NULL}};

static PyTypeObject SettingsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "window.Settings",
    .tp_basicsize = sizeof(Settings), .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = settings_new, .tp_dealloc = (destructor)settings_dealloc,
    .tp_richcompare = settings_compare, .tp_hash = PyObject_HashNotImplemented, .tp_getset = fields,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "window", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_window(void)
{
    PyObject *m = PyModule_Create(&module);
    if (PyType_Ready(&SettingsType) < 0) return NULL;
    Py_INCREF(&SettingsType);
    PyModule_AddObject(m, "Settings", (PyObject *)&SettingsType);
    return m;
}
