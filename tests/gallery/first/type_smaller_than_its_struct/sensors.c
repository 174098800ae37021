/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

typedef struct { PyObject_HEAD double last; } sensor;
typedef struct { sensor base; double history[6]; } logging_sensor;
static PyTypeObject sensor_type;

static void fill_history(logging_sensor *self, double value)
{
    for (int n = 0; n < 6; n++)
        self->history[n] = value + n;
}

static PyObject *logging_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    double value;
    if (!PyArg_ParseTuple(args, "d", &value))
        return NULL;
    logging_sensor *self = (logging_sensor *)type->tp_alloc(type, 0);
    self->base.last = value;
    fill_history(self, value);
    return (PyObject *)self;
}

static PyObject *last(sensor *self, PyObject *unused) { return PyFloat_FromDouble(self->last); }
static PyMethodDef sensor_methods[] = {{"last", (PyCFunction)last, METH_NOARGS, NULL}, {NULL}};
static PyTypeObject sensor_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sensors.LoggingSensor",
    .tp_basicsize = sizeof(sensor),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = logging_new,
    .tp_methods = sensor_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "sensors", NULL, -1};

PyMODINIT_FUNC PyInit_sensors(void)
{
    if (PyType_Ready(&sensor_type) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    PyModule_AddObject(made, "LoggingSensor", (PyObject *)&sensor_type);
    return made;
}
