// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *apply_rule(PyObject *self, PyObject *args)
{
    PyObject *rules, *key, *before;
    if (!PyArg_ParseTuple(args, "O!OO", &PyDict_Type, &rules, &key, &before)) return NULL;
    PyObject *rule = PyDict_GetItem(rules, key);
    if (!rule) Py_RETURN_NONE;
    PyObject *answer = PyObject_CallFunctionObjArgs(before, key, NULL);
    if (!answer) return NULL;
    Py_DECREF(answer);
    return PyObject_GetAttrString(rule, "limit");
}

static PyMethodDef methods[] = {{"apply_rule", apply_rule, METH_VARARGS, ""}, {0}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rules", "", -1, methods};
PyMODINIT_FUNC PyInit_rules(void) { return PyModule_Create(&module); }
