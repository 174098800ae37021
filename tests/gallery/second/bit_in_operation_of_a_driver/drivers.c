// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
typedef struct { long jobs; long (*open)(long); long (*run)(long); long (*close)(long); } Driver;
static Driver *drivers[3];
static long nothing(long job) { return 0; }
static long print_label(long job) { return job % 13; }
static long weigh(long job) { return job * 3 % 29; }
static long cut(long job) { return job ^ 5; }
static PyObject *drivers_run(PyObject *self, PyObject *args)
{
    int kind;
    long job;
    if (!PyArg_ParseTuple(args, "il", &kind, &job))
        return NULL;
    Driver *driver = drivers[kind % 3];
    driver->jobs++;
    long done = driver->run(job);
    return PyLong_FromLong(done + driver->jobs);
}
static PyObject *drivers_table(PyObject *self, PyObject *kind)
{
    return PyLong_FromVoidPtr(drivers[PyLong_AsLong(kind) % 3]);
}
static PyMethodDef methods[] = {{"run", drivers_run, METH_VARARGS, ""}, {"table", drivers_table, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "drivers", "", -1, methods};
PyMODINIT_FUNC PyInit_drivers(void)
{
    long (*runs[])(long) = {print_label, weigh, cut};
    for (int n = 0; n < 3; n++) {
        drivers[n] = calloc(1, sizeof(Driver));
        drivers[n]->open = drivers[n]->close = nothing;
        drivers[n]->run = runs[n];
    }
    return PyModule_Create(&module);
}
