// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stddef.h>
typedef struct { PyObject_HEAD long percent, calls; vectorcallfunc vectorcall; long floor; } Rule;
static PyObject *rule_apply(Rule *self, PyObject *const *args, size_t nargs, PyObject *names)
{
    if (PyVectorcall_NARGS(nargs) != 1) {
        PyErr_SetString(PyExc_TypeError, "a price");
        return NULL;
    }
    self->calls++;
    return PyLong_FromLong(PyLong_AsLong(args[0]) * (100 - self->percent) / 100);
}
static PyTypeObject RuleType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rules.Rule", .tp_basicsize = sizeof(Rule),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Rule, vectorcall)};
static PyObject *rules_rule(PyObject *module, PyObject *percent)
{
    long value = PyLong_AsLong(percent);
    if (value == -1 && PyErr_Occurred())
        return NULL;
    Rule *made = PyObject_New(Rule, &RuleType);
    if (!made)
        return NULL;
    made->percent = value;
    made->calls = 0;
    made->floor = 0;
    if (value > 0)
        made->vectorcall = (vectorcallfunc)rule_apply;
    return (PyObject *)made;
}
static PyMethodDef methods[] = {{"rule", rules_rule, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "rules", "", -1, methods};
PyMODINIT_FUNC PyInit_rules(void)
{
    return PyType_Ready(&RuleType) < 0 ? NULL : PyModule_Create(&module);
}
