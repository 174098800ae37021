// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

struct handle;

typedef struct {
    const char *scheme;
    int (*fill)(struct handle *, char *, int);
} protocol;

typedef struct handle {
    const protocol *protocol;
    long left;
    unsigned seed;
    char block[480];
} handle;

static int fill_file(handle *from, char *block, int size)
{
    int given = from->left < size ? (int)from->left : size;
    for (int at = 0; at < given; at++) {
        from->seed = from->seed * 1103515245u + 12345u;
        block[at] = (char)('a' + (from->seed >> 16) % 26);
    }
    from->left -= given;
    return given;
}

static const protocol file_protocol = {"file", fill_file};

typedef struct {
    PyObject_HEAD
    handle *easy;
    PyObject *write;
} TransferObject;

static PyObject *transfer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    long size;
    PyObject *write;
    TransferObject *self;
    if (!PyArg_ParseTuple(args, "lO", &size, &write))
        return NULL;
    self = (TransferObject *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->easy = calloc(1, sizeof *self->easy);
    self->easy->protocol = &file_protocol;
    self->easy->left = size;
    self->easy->seed = (unsigned)size;
    Py_INCREF(write);
    self->write = write;
    return (PyObject *)self;
}

static PyObject *transfer_close(TransferObject *self, PyObject *unused)
{
    free(self->easy);
    self->easy = NULL;
    Py_RETURN_NONE;
}

static PyObject *transfer_perform(TransferObject *self, PyObject *unused)
{
    handle *easy = self->easy;
    long total = 0;
    int got;
    if (!easy)
        return PyErr_Format(PyExc_ValueError, "transfer is closed");
    while ((got = easy->protocol->fill(easy, easy->block, sizeof easy->block)) > 0) {
        PyObject *taken = PyObject_CallFunction(self->write, "y#", easy->block, (Py_ssize_t)got);
        if (!taken)
            return NULL;
        Py_DECREF(taken);
        total += got;
    }
    return PyLong_FromLong(total);
}

static void transfer_dealloc(TransferObject *self)
{
    free(self->easy);
    Py_XDECREF(self->write);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef methods[] = {
    {"perform", (PyCFunction)transfer_perform, METH_NOARGS},
    {"close", (PyCFunction)transfer_close, METH_NOARGS},
    {NULL}};

static PyTypeObject TransferType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "transfer.Transfer",
    .tp_basicsize = sizeof(TransferObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)transfer_dealloc,
    .tp_methods = methods,
    .tp_new = transfer_new,
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "transfer", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_transfer(void)
{
    PyObject *module;
    if (PyType_Ready(&TransferType) < 0 || !(module = PyModule_Create(&definition)))
        return NULL;
    Py_INCREF(&TransferType);
    PyModule_AddObject(module, "Transfer", (PyObject *)&TransferType);
    return module;
}
