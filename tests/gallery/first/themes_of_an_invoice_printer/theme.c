// SPDX-License-Identifier: Apache-2.0
// A theme formats amounts for invoices. Formatters share the tables in the module's state.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

struct state {
    PyObject *symbols; /* dict: currency -> symbol */
    PyObject *FormatterType;
    long formatted;
};

typedef struct {
    PyObject_HEAD
    struct state *state;
    char currency[4];
} Formatter;

static PyObject *
Formatter_format(Formatter *self, PyObject *args)
{
    double amount;
    if (!PyArg_ParseTuple(args, "d:format", &amount))
        return NULL;
    PyObject *symbol = PyDict_GetItemString(self->state->symbols, self->currency);
    self->state->formatted++;
    char digits[40];
    snprintf(digits, sizeof digits, "%.2f", amount);
    if (!symbol)
        return PyUnicode_FromFormat("%s %s", digits, self->currency);
    return PyUnicode_FromFormat("%s %U", digits, symbol);
}

static void
Formatter_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef formatter_methods[] = {
    {"format", (PyCFunction)Formatter_format, METH_VARARGS, "Format an amount."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_methods, formatter_methods},
    {Py_tp_dealloc, Formatter_dealloc},
    {0, NULL},
};

static PyType_Spec spec = {
    "theme.Formatter", sizeof(Formatter), 0, Py_TPFLAGS_DEFAULT, slots,
};

static PyObject *
formatter(PyObject *module, PyObject *args)
{
    struct state *state = PyModule_GetState(module);
    const char *currency;
    if (!PyArg_ParseTuple(args, "s:formatter", &currency))
        return NULL;
    PyTypeObject *type = (PyTypeObject *)state->FormatterType;
    Formatter *self = (Formatter *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->state = state;
    snprintf(self->currency, sizeof self->currency, "%s", currency);
    return (PyObject *)self;
}

static PyMethodDef methods[] = {
    {"formatter", formatter, METH_VARARGS, "Return a formatter for a currency."},
    {NULL, NULL, 0, NULL},
};

static int
theme_exec(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    state->symbols = Py_BuildValue("{ssssss}", "EUR", "\xe2\x82\xac", "GBP", "\xc2\xa3",
                                   "USD", "$");
    state->FormatterType = PyType_FromSpec(&spec);
    return state->symbols && state->FormatterType ? 0 : -1;
}

static int
theme_clear(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    Py_CLEAR(state->symbols);
    Py_CLEAR(state->FormatterType);
    return 0;
}

static void
theme_free(void *module)
{
    theme_clear(module);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, theme_exec}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "theme", NULL, sizeof(struct state), methods, module_slots,
    NULL, theme_clear, theme_free,
};

PyMODINIT_FUNC
PyInit_theme(void)
{
    return PyModuleDef_Init(&definition);
}
