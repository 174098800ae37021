// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Returns 1, 0, or -1 with an exception. */
__attribute__((noinline)) int eval_rule(PyObject *rule, long amount)
{
    char reason[120];
    if (!PyTuple_Check(rule) || PyTuple_GET_SIZE(rule) < 2) {
        PyOS_snprintf(reason, sizeof reason, "no rule: %s", Py_TYPE(rule)->tp_name);
        PyErr_SetString(PyExc_TypeError, reason);
        return -1;
    }
    const char *kind = PyUnicode_AsUTF8(PyTuple_GET_ITEM(rule, 0));
    if (kind == NULL)
        return -1;
    if (strcmp(kind, "limit") == 0)
        return amount > PyLong_AsLong(PyTuple_GET_ITEM(rule, 1));
    int first = eval_rule(PyTuple_GET_ITEM(rule, 1), amount);
    if (first != 0)
        return first;
    int rest = eval_rule(PyTuple_GET_ITEM(rule, 2), amount);
    if (rest < 0)
        PyErr_Format(PyExc_ValueError, "rule %.20s fails", kind);
    return rest;
}

static PyObject *holds(PyObject *self, PyObject *args)
{
    PyObject *rule;
    long amount;
    if (!PyArg_ParseTuple(args, "Ol", &rule, &amount))
        return NULL;
    int answer = eval_rule(rule, amount);
    return answer < 0 ? NULL : PyBool_FromLong(answer);
}

static PyMethodDef methods[] = {{"holds", holds, METH_VARARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rule_engine", NULL, -1, methods};

PyMODINIT_FUNC PyInit_rule_engine(void) { return PyModule_Create(&module); }
