// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A book of tariffs by the name of their zone. */
typedef struct {
    PyObject_HEAD
    PyObject *by_zone;
} Book;

static PyObject *book_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Book *self = (Book *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->by_zone = PyDict_New();
        if (self->by_zone == NULL) {
            Py_DECREF(self);
            return NULL;
        }
    }
    return (PyObject *)self;
}

static void book_dealloc(PyObject *self)
{
    Py_XDECREF(((Book *)self)->by_zone);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *book_set(PyObject *self, PyObject *args)
{
    PyObject *zone, *tariff;
    if (!PyArg_ParseTuple(args, "UO", &zone, &tariff)) {
        return NULL;
    }
    if (PyDict_SetItem(((Book *)self)->by_zone, zone, tariff) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *book_find(PyObject *self, PyObject *zone)
{
    PyObject *tariff = PyDict_GetItemWithError(((Book *)self)->by_zone, zone);
    if (tariff == NULL && !PyErr_Occurred()) {
        PyErr_SetObject(PyExc_KeyError, zone);
    }
    return tariff;
}

static PyMethodDef book_methods[] = {
    {"set", book_set, METH_VARARGS, NULL},
    {"find", book_find, METH_O, NULL},
    {NULL},
};

static PyTypeObject BookType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "tariffs.Book",
    .tp_basicsize = sizeof(Book),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = book_new,
    .tp_dealloc = book_dealloc,
    .tp_methods = book_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tariffs", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_tariffs(void)
{
    PyObject *m;
    if (PyType_Ready(&BookType) < 0 || (m = PyModule_Create(&module)) == NULL) {
        return NULL;
    }
    Py_INCREF(&BookType);
    PyModule_AddObject(m, "Book", (PyObject *)&BookType);
    return m;
}
