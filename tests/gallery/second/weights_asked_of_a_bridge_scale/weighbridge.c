// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <time.h>

enum { CELLS = 6 };
static const double gain[CELLS] = {1.02, 0.98, 1.0, 1.01, 0.99, 1.0};

static void settle(void)
{
    struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
}

static PyObject *weigh(PyObject *self, PyObject *args)
{
    int axle, seed;
    double load;
    if (!PyArg_ParseTuple(args, "ii", &axle, &seed))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    settle();
    if (axle >= CELLS)
        Py_RETURN_NONE;
    load = gain[axle] * (4 + (seed * (axle + 3)) % 47 / 10.0);
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble(load);
}

static PyMethodDef methods[] = {{"weigh", weigh, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "weighbridge", "", -1, methods};
PyMODINIT_FUNC PyInit_weighbridge(void) { return PyModule_Create(&module); }
