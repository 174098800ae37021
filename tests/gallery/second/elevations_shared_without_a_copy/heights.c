// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    Py_ssize_t count;
    unsigned char *data;
} Model;

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "n", &count))
        return NULL;
    Model *self = (Model *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->count = count;
    self->data = malloc(count);
    if (self->data == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++)
        self->data[i] = (unsigned char)(i * 7 % 251);
    return (PyObject *)self;
}

static void model_dealloc(Model *self)
{
    free(self->data);
    self->data = NULL;
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int model_buffer(Model *self, Py_buffer *view, int flags)
{
    memset(view, 0, sizeof *view);
    view->obj = (PyObject *)self;
    view->buf = self->data;
    view->len = self->count;
    view->readonly = 1;
    view->itemsize = 1;
    view->format = (flags & PyBUF_FORMAT) ? "B" : NULL;
    view->ndim = 1;
    view->shape = (flags & PyBUF_ND) ? &self->count : NULL;
    view->strides = (flags & PyBUF_STRIDES) ? &view->itemsize : NULL;
    return 0;
}

static PyBufferProcs procs = {(getbufferproc)model_buffer, NULL};

static PyTypeObject ModelType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "heights.Model",
    .tp_basicsize = sizeof(Model),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = model_new,
    .tp_dealloc = (destructor)model_dealloc,
    .tp_as_buffer = &procs,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "heights", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_heights(void)
{
    PyObject *m = PyModule_Create(&module);
    if (m == NULL || PyType_Ready(&ModelType) < 0)
        return NULL;
    Py_INCREF(&ModelType);
    PyModule_AddObject(m, "Model", (PyObject *)&ModelType);
    return m;
}
