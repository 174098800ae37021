// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    char *text;
    Py_ssize_t length;
    unsigned long shown; /* a sum over the lamps of the board */
} Board;

/* Show a title, in the board's own letters. */
static PyObject *title(Board *self, PyObject *args)
{
    if (!PyArg_ParseTuple(args, "es#", "latin-1", &self->text, &self->length))
        return NULL;
    self->shown = 0;
    for (Py_ssize_t i = 0; i < self->length; i++)
        self->shown = self->shown * 31 + (unsigned char)self->text[i];
    PyMem_Free(self->text);
    Py_RETURN_NONE;
}

static PyMethodDef board_methods[] = {
    {"title", (PyCFunction)title, METH_VARARGS, "Show a title."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject BoardType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "board.Board",
    .tp_basicsize = sizeof(Board),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_methods = board_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "board", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_board(void)
{
    PyObject *m = PyModule_Create(&module);
    if (m == NULL || PyType_Ready(&BoardType) < 0)
        return NULL;
    Py_INCREF(&BoardType);
    PyModule_AddObject(m, "Board", (PyObject *)&BoardType);
    return m;
}
