// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    Py_ssize_t texts, found;
    PyObject *separator;
} counts;

static struct PyModuleDef definition;

static counts *current_counts(void)
{
    return PyModule_GetState(PyState_FindModule(&definition));
}

static PyObject *split(PyObject *self, PyObject *text)
{
    counts *state = current_counts();
    PyObject *parts = PyUnicode_Split(text, state->separator, -1);
    if (parts) {
        state->texts++;
        state->found += PyList_GET_SIZE(parts);
    }
    return parts;
}

static int fill(PyObject *module)
{
    counts *state = PyModule_GetState(module);
    state->texts = state->found = 0;
    state->separator = PyUnicode_FromString(" ");
    return state->separator ? PyModule_AddIntConstant(module, "MINIMUM", 3) : -1;
}

static PyMethodDef methods[] = {{"split", split, METH_O, "Split a text."}, {0}};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "tokens", NULL, sizeof(counts), methods, slots};
PyMODINIT_FUNC PyInit_tokens(void) { return PyModuleDef_Init(&definition); }
