/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Finds the shelf of a parcel number in a sorted tuple of (first number, shelf). */

typedef struct {
    PyObject_HEAD
    PyObject *routes;
    Py_ssize_t asked;
} Router;

static int router_init(Router *self, PyObject *args, PyObject *kwargs)
{
    PyObject *routes;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &routes))
        return -1;
    self->routes = routes;
    self->asked = 0;
    return 0;
}

static PyObject *router_shelf(Router *self, PyObject *number)
{
    long wanted = PyLong_AsLong(number);
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    Py_ssize_t low = 0, high = PyTuple_GET_SIZE(self->routes);
    while (high - low > 1) {
        Py_ssize_t middle = (low + high) / 2;
        PyObject *entry = PyTuple_GET_ITEM(self->routes, middle);
        if (PyLong_AsLong(PyTuple_GET_ITEM(entry, 0)) <= wanted)
            low = middle;
        else
            high = middle;
    }
    self->asked++;
    PyObject *shelf = PyTuple_GET_ITEM(PyTuple_GET_ITEM(self->routes, low), 1);
    Py_INCREF(shelf);
    return shelf;
}

static void router_dealloc(Router *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef router_methods[] = {
    {"shelf", (PyCFunction)router_shelf, METH_O, "Return the shelf of a number."},
    {NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_init, router_init},
    {Py_tp_dealloc, router_dealloc},
    {Py_tp_methods, router_methods},
    {Py_tp_new, PyType_GenericNew},
    {0, NULL},
};

static PyType_Spec spec = {
    "routes_of_a_parcel_robot.Router", sizeof(Router), 0, Py_TPFLAGS_DEFAULT, slots,
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "routes_of_a_parcel_robot", NULL, -1, NULL,
};

PyMODINIT_FUNC PyInit_routes_of_a_parcel_robot(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = PyType_FromSpec(&spec);
    if (module == NULL || type == NULL || PyModule_AddObject(module, "Router", type) < 0)
        return NULL;
    return module;
}
