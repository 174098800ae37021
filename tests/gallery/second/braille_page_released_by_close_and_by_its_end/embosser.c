/* Embosser of Braille: pages of 25 lines of 31 cells, one byte per cell. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

#define LINES 25
#define CELLS 31

typedef struct {
    PyObject_HEAD
    unsigned char *cells;
    int line;
    int open;
} Page;

static PyObject *page_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Page *self = (Page *)type->tp_alloc(type, 0);
    if (self) {
        self->cells = calloc(LINES, CELLS);
        self->open = 1;
    }
    return (PyObject *)self;
}

static PyObject *page_write(PyObject *object, PyObject *args)
{
    Page *self = (Page *)object;
    const char *text;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "s#", &text, &length))
        return NULL;
    if (!self->open || self->line == LINES) {
        PyErr_SetString(PyExc_ValueError, self->open ? "the page is full" : "the page is closed");
        return NULL;
    }
    if (length > CELLS)
        length = CELLS;
    for (Py_ssize_t i = 0; i < length; i++)
        self->cells[self->line * CELLS + i] = (unsigned char)(text[i] & 0x3f);
    self->line++;
    Py_RETURN_NONE;
}

static PyObject *page_close(PyObject *object, PyObject *unused)
{
    Page *self = (Page *)object;
    unsigned dots = 0;
    if (self->open) {
        for (int i = 0; i < LINES * CELLS; i++)
            dots += __builtin_popcount(self->cells[i]);
        self->open = 0;
        free(self->cells);
    }
    return PyLong_FromUnsignedLong(dots);
}

static void page_dealloc(PyObject *object)
{
    Page *self = (Page *)object;
    if (self->cells)
        free(self->cells);
    Py_TYPE(object)->tp_free(object);
}

static PyMethodDef page_methods[] = {
    {"write", page_write, METH_VARARGS, NULL}, {"close", page_close, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyTypeObject PageType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "embosser.Page",
    .tp_basicsize = sizeof(Page),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = page_new,
    .tp_dealloc = page_dealloc,
    .tp_methods = page_methods,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "embosser", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_embosser(void)
{
    PyObject *made;
    if (PyType_Ready(&PageType) < 0 || !(made = PyModule_Create(&module)))
        return NULL;
    Py_INCREF(&PageType);
    PyModule_AddObject(made, "Page", (PyObject *)&PageType);
    return made;
}
