// SPDX-License-Identifier: Apache-2.0
/* Index cards of a map library. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    int drawer;
    int year;
    char mark[40];
} Card;

static PyObject *
card_classify(Card *self, PyObject *args)
{
    const char *room, *region, *title;

    if (!PyArg_ParseTuple(args, "sssii", &room, &region, &title, &self->drawer, &self->year)) {
        return NULL;
    }
    sprintf(self->mark, "%s.%s/%d %s", room, region, self->year, title);
    Py_RETURN_NONE;
}

static PyObject *
card_sort_key(Card *self, PyObject *unused)
{
    return Py_BuildValue("is", self->drawer, self->mark);
}

static PyMethodDef card_methods[] = {
    {"classify", (PyCFunction)card_classify, METH_VARARGS, "Set room, region, title, ..."},
    {"sort_key", (PyCFunction)card_sort_key, METH_NOARGS, "Return drawer and mark."},
    {NULL},
};

static PyMemberDef card_members[] = {
    {"mark", T_STRING_INPLACE, offsetof(Card, mark), READONLY},
    {"year", T_INT, offsetof(Card, year), READONLY},
    {NULL},
};

static PyTypeObject card_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "card.Card",
    .tp_basicsize = sizeof(Card),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = card_methods,
    .tp_members = card_members,
    .tp_new = PyType_GenericNew,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "card", NULL, -1};

PyMODINIT_FUNC
PyInit_card(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (PyType_Ready(&card_type) < 0) {
        return NULL;
    }
    Py_INCREF(&card_type);
    PyModule_AddObject(module, "Card", (PyObject *)&card_type);
    return module;
}
