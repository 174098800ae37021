/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *zones; /* dict: name -> float */
    double factor;
} Table;

static int table_init(Table *self, PyObject *args, PyObject *keywords)
{
    PyObject *zones;
    if (!PyArg_ParseTuple(args, "O!d", &PyDict_Type, &zones, &self->factor))
        return -1;
    Py_INCREF(zones);
    Py_XSETREF(self->zones, zones);
    return 0;
}

static void table_dealloc(Table *self)
{
    Py_XDECREF(self->zones);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static double surcharge_for(Table *self, const char *zone)
{
    PyObject *rate = PyDict_GetItemString(self->zones, zone);
    return PyFloat_AS_DOUBLE(rate) * self->factor;
}

static PyObject *table_fare(Table *self, PyObject *args)
{
    const char *zone;
    double base;
    if (!PyArg_ParseTuple(args, "sd", &zone, &base))
        return NULL;
    return PyFloat_FromDouble(base + surcharge_for(self, zone));
}

static PyMethodDef table_methods[] = {
    {"fare", (PyCFunction)table_fare, METH_VARARGS, "Return a fare with its surcharge."}, {NULL}};

static PyTypeObject table_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "surcharge.Table",
    .tp_basicsize = sizeof(Table),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)table_init,
    .tp_dealloc = (destructor)table_dealloc,
    .tp_methods = table_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "surcharge", NULL, -1};

PyMODINIT_FUNC PyInit_surcharge(void)
{
    PyObject *made;
    if (PyType_Ready(&table_type) < 0 || !(made = PyModule_Create(&module)))
        return NULL;
    Py_INCREF(&table_type);
    PyModule_AddObject(made, "Table", (PyObject *)&table_type);
    return made;
}
