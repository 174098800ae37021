/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* Encodings of short texts: ids of their words between two marks. */

#define MARK_BEGIN 101
#define MARK_END 102

static uint32_t hash_word(const char *word, Py_ssize_t length)
{
    uint32_t hash = 2166136261u;
    while (length-- > 0)
        hash = (hash ^ (unsigned char)*word++) * 16777619u;
    return 1000 + hash % 29000;
}

static Py_ssize_t count_words(const char *text)
{
    Py_ssize_t count = 0;
    int inside = 0;
    for (; *text; text++) {
        int letter = *text != ' ';
        count += letter && !inside;
        inside = letter;
    }
    return count;
}

static PyObject *encode(PyObject *module, PyObject *args)
{
    const char *text;
    int special = 1;
    if (!PyArg_ParseTuple(args, "s|p", &text, &special))
        return NULL;

    Py_ssize_t words = count_words(text), at = 0;
    int64_t *ids = PyMem_Malloc((words ? words : 1) * sizeof *ids);
    if (ids == NULL)
        return PyErr_NoMemory();
    if (special)
        ids[at++] = MARK_BEGIN;
    while (*text) {
        while (*text == ' ')
            text++;
        const char *start = text;
        while (*text && *text != ' ')
            text++;
        if (text > start)
            ids[at++] = hash_word(start, text - start);
    }
    if (special)
        ids[at++] = MARK_END;

    PyObject *result = PyTuple_New(at);
    for (Py_ssize_t i = 0; result != NULL && i < at; i++)
        PyTuple_SET_ITEM(result, i, PyLong_FromLongLong(ids[i]));
    PyMem_Free(ids);
    return result;
}

static PyMethodDef methods[] = {
    {"encode", encode, METH_VARARGS, "Return the ids of the words of a text."},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "words_tagged_for_a_concordance", NULL, -1, methods,
};

PyMODINIT_FUNC PyInit_words_tagged_for_a_concordance(void)
{
    return PyModule_Create(&definition);
}
