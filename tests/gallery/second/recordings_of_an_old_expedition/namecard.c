// SPDX-License-Identifier: Apache-2.0
/* Name cards of recordings: the name in capitals, its words counted. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ctype.h>

typedef struct {
    const char *text;
    size_t length;
    int words;
} card;

static void
read_card(card *made, PyObject *name)
{
    int inside = 0;

    made->text = PyUnicode_AsUTF8(name);
    made->words = 0;
    for (made->length = 0; made->text[made->length]; made->length++) {
        int letter = isalnum((unsigned char)made->text[made->length]);
        made->words += letter && !inside;
        inside = letter;
    }
}

static PyObject *
card_for(PyObject *module, PyObject *args)
{
    PyObject *name, *text;
    card made;

    if (!PyArg_ParseTuple(args, "U", &name)) {
        return NULL;
    }
    read_card(&made, name);
    text = PyBytes_FromStringAndSize(made.text, (Py_ssize_t)made.length);
    if (text == NULL) {
        return NULL;
    }
    for (char *each = PyBytes_AS_STRING(text); *each; each++) {
        *each = (char)toupper((unsigned char)*each);
    }
    return Py_BuildValue("Ni", text, made.words);
}

static PyMethodDef functions[] = {
    {"card_for", card_for, METH_VARARGS, "Return the card's text and its number of words."},
    {NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "namecard", NULL, -1, functions};

PyMODINIT_FUNC
PyInit_namecard(void)
{
    return PyModule_Create(&definition);
}
