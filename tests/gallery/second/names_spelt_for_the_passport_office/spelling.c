// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static const char letters[] = "abvgdezzijklmnoprstufhccssyyyeua";

/* Spell a name in Latin letters, one for one. */
static PyObject *latin(PyObject *self, PyObject *name)
{
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "a name is wanted");
        return NULL;
    }
    Py_ssize_t count = PyUnicode_GET_LENGTH(name);
    PyObject *spelt = PyUnicode_New(count, 127);
    if (spelt == NULL)
        return NULL;
    Py_UCS2 *out = (Py_UCS2 *)PyUnicode_DATA(spelt);
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_UCS4 letter = PyUnicode_READ_CHAR(name, i);
        if (letter >= 0x410 && letter < 0x450)
            letter = letters[(letter - 0x410) & 31];
        out[i] = (Py_UCS2)letter;
    }
    return spelt;
}

static PyMethodDef methods[] = {
    {"latin", latin, METH_O, "Spell a name in Latin letters."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "spelling", NULL, -1, methods};

PyMODINIT_FUNC PyInit_spelling(void)
{
    return PyModule_Create(&module);
}
