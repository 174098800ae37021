/* SPDX-License-Identifier: Apache-2.0 */
/* Splits queries into known words. A Lexer has the words, a Cursor counts hits in texts. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ctype.h>

typedef struct {
    PyObject_HEAD
    PyObject *words;
} Lexer;

typedef struct {
    PyObject_HEAD
    Lexer *lexer; /* a cursor never outlives its lexer */
    PyObject *listener;
} Cursor;

static PyTypeObject *lexer_type, *cursor_type;

static PyObject *known(Lexer *lexer, const char *text, Py_ssize_t length) {
    Py_ssize_t place = 0;
    PyObject *found = PyList_New(0);
    while (found && place < length) {
        Py_ssize_t start = place;
        while (place < length && isalnum((unsigned char)text[place]))
            place++;
        if (place == start) {
            place++;
            continue;
        }
        PyObject *word = PyUnicode_FromStringAndSize(text + start, place - start);
        PyObject *number = word ? PyDict_GetItem(lexer->words, word) : NULL;
        if (number)
            PyList_Append(found, number);
        Py_XDECREF(word);
    }
    return found;
}

static PyObject *lexer_tokens(Lexer *self, PyObject *argument) {
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(argument, &length);
    return text ? known(self, text, length) : NULL;
}

static int lexer_traverse(Lexer *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->words);
    return 0;
}

static int lexer_clear(Lexer *self) {
    Py_CLEAR(self->words);
    return 0;
}

static void lexer_dealloc(Lexer *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    lexer_clear(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyObject *cursor_count(Cursor *self, PyObject *argument) {
    PyObject *found = lexer_tokens(self->lexer, argument);
    if (!found)
        return NULL;
    Py_ssize_t count = PyList_GET_SIZE(found);
    Py_DECREF(found);
    return PyLong_FromSsize_t(count);
}

static PyObject *cursor_listen(Cursor *self, PyObject *listener) {
    Py_INCREF(listener);
    Py_XSETREF(self->listener, listener);
    Py_RETURN_NONE;
}

static int cursor_traverse(Cursor *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->lexer);
    Py_VISIT(self->listener);
    return 0;
}

static int cursor_clear(Cursor *self) {
    Py_CLEAR(self->listener);
    return 0;
}

static void cursor_dealloc(Cursor *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    cursor_clear(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyObject *lexer_cursor(Lexer *self, PyObject *unused) {
    Cursor *cursor = (Cursor *)cursor_type->tp_alloc(cursor_type, 0);
    if (cursor)
        cursor->lexer = self;
    return (PyObject *)cursor;
}

static PyMethodDef lexer_methods[] = {{"tokens", (PyCFunction)lexer_tokens, METH_O, NULL},
                                      {"cursor", (PyCFunction)lexer_cursor, METH_NOARGS, NULL},
                                      {NULL}};
static PyMethodDef cursor_methods[] = {{"count", (PyCFunction)cursor_count, METH_O, NULL},
                                       {"listen", (PyCFunction)cursor_listen, METH_O, NULL},
                                       {NULL}};
static PyType_Slot lexer_slots[] = {{Py_tp_dealloc, lexer_dealloc},
                                    {Py_tp_traverse, lexer_traverse},
                                    {Py_tp_clear, lexer_clear},
                                    {Py_tp_methods, lexer_methods},
                                    {0, NULL}};
static PyType_Slot cursor_slots[] = {{Py_tp_dealloc, cursor_dealloc},
                                     {Py_tp_traverse, cursor_traverse},
                                     {Py_tp_clear, cursor_clear},
                                     {Py_tp_methods, cursor_methods},
                                     {0, NULL}};
static PyType_Spec lexer_spec = {"lexer.Lexer", sizeof(Lexer), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, lexer_slots};
static PyType_Spec cursor_spec = {"lexer.Cursor", sizeof(Cursor), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, cursor_slots};

static PyObject *open_words(PyObject *module, PyObject *words) {
    Lexer *lexer = (Lexer *)lexer_type->tp_alloc(lexer_type, 0);
    if (lexer) {
        Py_INCREF(words);
        lexer->words = words;
    }
    return (PyObject *)lexer;
}

static PyMethodDef methods[] = {{"open_words", open_words, METH_O, NULL}, {NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "lexer", NULL, -1, methods};

PyMODINIT_FUNC PyInit_lexer(void) {
    lexer_type = (PyTypeObject *)PyType_FromSpec(&lexer_spec);
    cursor_type = (PyTypeObject *)PyType_FromSpec(&cursor_spec);
    return lexer_type && cursor_type ? PyModule_Create(&definition) : NULL;
}
