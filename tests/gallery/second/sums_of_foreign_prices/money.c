// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    long long cents;
    PyObject *currency;
} Money;
static PyTypeObject MoneyType;

static PyObject *make(long long cents, PyObject *currency)
{
    Money *it = (Money *)MoneyType.tp_alloc(&MoneyType, 0);
    if (it) {
        Py_INCREF(currency);
        it->cents = cents;
        it->currency = currency;
    }
    return (PyObject *)it;
}

static PyObject *money_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    long long cents;
    PyObject *currency;
    return PyArg_ParseTuple(args, "LU", &cents, &currency) ? make(cents, currency) : NULL;
}

static void money_dealloc(Money *self)
{
    Py_XDECREF(self->currency);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *money_add(Money *left, PyObject *right)
{
    if (!PyObject_TypeCheck(right, &MoneyType))
        Py_RETURN_NOTIMPLEMENTED;
    Money *other = (Money *)right;
    if (PyUnicode_Compare(left->currency, other->currency) != 0)
        return PyErr_Format(PyExc_ValueError, "two currencies: %U and %U", left->currency, other->currency);
    return make(left->cents + other->cents, left->currency);
}

static PyObject *money_repr(Money *self)
{
    return PyUnicode_FromFormat("%lld.%02lld %U", self->cents / 100, self->cents % 100, self->currency);
}

static PyNumberMethods as_number = {.nb_add = (binaryfunc)money_add};
static PyTypeObject MoneyType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "money.Money",
    .tp_basicsize = sizeof(Money), .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = money_new,
    .tp_dealloc = (destructor)money_dealloc, .tp_as_number = &as_number, .tp_repr = (reprfunc)money_repr,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "money", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_money(void)
{
    PyObject *it = PyModule_Create(&module);
    if (PyType_Ready(&MoneyType) < 0) return NULL;
    Py_INCREF(&MoneyType);
    PyModule_AddObject(it, "Money", (PyObject *)&MoneyType);
    return it;
}
