// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* What a search was asked for. */
struct request {
    PyObject *orders;
    int low;
    int high;
    PyObject *on_match;
    long matches;
};

static int run(struct request *request)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(request->orders); i++) {
        PyObject *order = PyList_GET_ITEM(request->orders, i);
        double amount = PyFloat_AsDouble(PyTuple_GET_ITEM(order, 1));
        if (amount < request->low || amount > request->high) {
            continue;
        }
        PyObject *done = PyObject_CallObject(request->on_match, order);
        if (done == NULL) {
            return -1;
        }
        Py_DECREF(done);
        request->matches++;
    }
    return 0;
}

static PyObject *between(PyObject *self, PyObject *args)
{
    struct request request = {0};
    if (!PyArg_ParseTuple(args, "O!Oll", &PyList_Type, &request.orders, &request.on_match,
                          &request.low, &request.high)) {
        return NULL;
    }
    if (run(&request) < 0) {
        return NULL;
    }
    return PyLong_FromLong(request.matches);
}

static PyMethodDef methods[] = {
    {"between", between, METH_VARARGS, NULL},
    {NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "ordersearch", NULL, -1, methods};

PyMODINIT_FUNC PyInit_ordersearch(void)
{
    return PyModule_Create(&module);
}
